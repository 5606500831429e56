/** Part of the page that is fetched when it is first shown, or a sentence while that fails. Nothing else waits for it. */
import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { link } from "../store";
import type { View } from "./registry";

/** Longest time for a fetch; after it the part is said to be missing. */
const SLOW_MS = 3000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 4000;
/** From so many failures on a button to reload is shown: the server may have a newer page, and only a reload helps. */
const MANY_FAILURES = 3;

export function Shown<Props extends object>({ view, with: props }: { view: View<Props>; with: Props }) {
  const [failures, setFailures] = useState(0);
  const [, setLoaded] = useState(false);
  const [error, forget] = useErrorBoundary();
  const Component = view.component;
  useEffect(() => {
    if (Component) return;
    let wanted = true;
    const load = () => {
      const late = new Promise<never>((_, reject) => window.setTimeout(reject, SLOW_MS));
      Promise.race([view.load(), late]).then(
        () => wanted && setLoaded(true),
        () => wanted && setFailures(failures + 1),
      );
    };
    const pauseMs = failures && Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    const timer = pauseMs ? window.setTimeout(load, pauseMs) : load();
    return () => {
      wanted = false;
      window.clearTimeout(timer ?? undefined);
    };
  }, [view, Component, failures]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a view that fails on one state may show the next one
  useEffect(() => {
    if (error) forget();
  }, [props]);
  if (error) return <p class="tile missing">The robot sends something here that this page cannot show.</p>;
  if (Component) return <Component {...props} />;
  return (
    <div class="tile missing" role="status" aria-busy={failures === 0}>
      {failures > 0 && <p>This part of the page does not come through. I keep trying.</p>}
      {failures >= MANY_FAILURES && link.value === "live" && <Reload />}
    </div>
  );
}

export function Reload({ before }: { before?: () => void }) {
  return (
    <button
      type="button"
      class="quiet"
      data-testid="reload"
      data-scan
      onClick={() => {
        before?.();
        location.reload();
      }}
    >
      Reload this page
    </button>
  );
}
