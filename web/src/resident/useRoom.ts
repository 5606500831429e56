/** Whether there is room for bars that stay. Where there is little they become smaller (`tight`); with large text on a
 * small screen only Stop, what it says and Send stay, and the rest scrolls (`scarce`). What is being read stays where it
 * is. */

import { useEffect } from "preact/hooks";

/** So much of the height the bars may take as they are, and so much when they are small. */
const MOST_SHARE = 0.7;
const MOST_SHARE_TIGHT = 0.8;

export function useRoom(): void {
  useEffect(() => {
    const root = document.documentElement;
    const look = () => {
      const top = () => document.querySelector("main > *")?.getBoundingClientRect().top ?? 0;
      const before = top();
      delete root.dataset.tight;
      delete root.dataset.scarce;
      const high = (name: string) => document.querySelector<HTMLElement>(name)?.offsetHeight ?? 0;
      const share = () => (high(".topbar") + high(".banners") + high(".bottom")) / window.innerHeight;
      if (share() > MOST_SHARE) root.dataset.tight = "";
      if (share() > MOST_SHARE_TIGHT) root.dataset.scarce = "";
      root.style.setProperty("--head", `${document.querySelector<HTMLElement>(".stop")?.offsetHeight ?? 0}px`);
      const scrolled = "scarce" in root.dataset ? root : document.querySelector("main");
      scrolled?.scrollBy(0, top() - before);
    };
    look();
    window.addEventListener("resize", look);
    return () => window.removeEventListener("resize", look);
  });
}
