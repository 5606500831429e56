/** How far a picture is: still coming, there, or not to be had. */
import { useCallback, useEffect, useState } from "preact/hooks";

export interface Loading {
  state: "coming" | "there" | "failed";
  /** Width by height; four to three until the picture is there. */
  ratio: number;
  url: string | null;
  again: () => void;
}

const USUAL_RATIO = 4 / 3;

/** Loads a picture once for all places that show it, and knows when it cannot be had. */
export function useLoading(url: string | null): Loading {
  const [tries, setTries] = useState(0);
  const [found, setFound] = useState<{ url: string; ratio: number } | "failed" | null>(null);
  const asked = url && tries > 0 ? `${url}${url.includes("?") ? "&" : "?"}try=${tries}` : url;
  useEffect(() => {
    if (!asked) return setFound("failed");
    let wanted = true;
    setFound(null);
    const image = new Image();
    image.onload = () => {
      const ratio = image.naturalWidth / image.naturalHeight;
      if (wanted) setFound(Number.isFinite(ratio) && ratio > 0 ? { url: asked, ratio } : "failed");
    };
    image.onerror = () => wanted && setFound("failed");
    image.src = asked;
    return () => {
      wanted = false;
    };
  }, [asked]);
  const again = useCallback(() => setTries((count) => count + 1), []);
  if (found === "failed") return { state: "failed", ratio: USUAL_RATIO, url: null, again };
  if (found === null || found.url !== asked) return { state: "coming", ratio: USUAL_RATIO, url: null, again };
  return { state: "there", ratio: found.ratio, url: found.url, again };
}
