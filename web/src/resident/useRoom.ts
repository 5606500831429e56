/** Whether there is room for bars that stay: with large text on a small screen only Stop stays, and the rest scrolls. */

import { useEffect } from "preact/hooks";

const MOST_SHARE = 0.7;

export function useRoom(): void {
  useEffect(() => {
    const root = document.documentElement;
    const look = () => {
      delete root.dataset.scarce;
      const high = (name: string) => document.querySelector<HTMLElement>(name)?.offsetHeight ?? 0;
      if (high(".topbar") + high(".bottom") > MOST_SHARE * window.innerHeight) root.dataset.scarce = "";
    };
    look();
    window.addEventListener("resize", look);
    return () => window.removeEventListener("resize", look);
  });
}
