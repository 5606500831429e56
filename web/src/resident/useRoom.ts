/** Whether there is room for bars that stay: with large text on a small screen only Stop, what it says and Send stay, and
 * the rest scrolls. What is being read stays where it is. */

import { useEffect } from "preact/hooks";

const MOST_SHARE = 0.7;

export function useRoom(): void {
  useEffect(() => {
    const root = document.documentElement;
    const look = () => {
      const top = () => document.querySelector("main > *")?.getBoundingClientRect().top ?? 0;
      const before = top();
      delete root.dataset.scarce;
      const high = (name: string) => document.querySelector<HTMLElement>(name)?.offsetHeight ?? 0;
      if (high(".topbar") + high(".banners") + high(".bottom") > MOST_SHARE * window.innerHeight) root.dataset.scarce = "";
      root.style.setProperty("--head", `${document.querySelector<HTMLElement>(".stop")?.offsetHeight ?? 0}px`);
      const scrolled = "scarce" in root.dataset ? root : document.querySelector("main");
      scrolled?.scrollBy(0, top() - before);
    };
    look();
    window.addEventListener("resize", look);
    return () => window.removeEventListener("resize", look);
  });
}
