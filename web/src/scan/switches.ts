/** Keys and presses that are somebody's switch, taken before anything else on the page sees them. */
import type { ScanSettings, Scanner } from "./scanner";
import { isStop } from "./targets";

/** Listen until the returned function is called. */
export function listen(scanner: Scanner, settings: () => ScanSettings): () => void {
  let swallowClick = false;

  const take = (event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const isSwitch = (event: KeyboardEvent) =>
    settings().keys.includes(event.key) && !event.ctrlKey && !event.altKey && !event.metaKey;
  const moves = (key: string) => settings().mode === "step" && settings().keys.length > 1 && key === settings().keys[0];

  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.isTrusted || !isSwitch(event)) return;
    take(event);
    if (event.repeat) return;
    if (moves(event.key)) scanner.step();
    else scanner.down();
  };
  const onKeyUp = (event: KeyboardEvent) => {
    if (!event.isTrusted || !isSwitch(event)) return;
    take(event);
    if (!moves(event.key)) scanner.up();
  };

  const onStopItself = (event: Event) => event.target instanceof Element && [...ancestors(event.target)].some(isStop);
  const onPointerDown = (event: PointerEvent) => {
    swallowClick = false;
    if (!event.isTrusted || !settings().pointer || onStopItself(event)) return;
    take(event);
    swallowClick = true;
    if (settings().mode === "step" && event.button === 0) scanner.step();
    else scanner.down();
  };
  const onPointerUp = (event: PointerEvent) => {
    if (!event.isTrusted || !swallowClick) return;
    take(event);
    if (settings().mode !== "step" || event.button !== 0) scanner.up();
  };
  const onPointerCancel = (event: PointerEvent) => {
    if (event.isTrusted && swallowClick) scanner.cancel();
  };
  const onClick = (event: MouseEvent) => {
    if (event.isTrusted && swallowClick && !onStopItself(event)) take(event);
  };
  const onBlur = () => scanner.cancel();

  const all: [string, (event: never) => void][] = [
    ["keydown", onKeyDown],
    ["keyup", onKeyUp],
    ["pointerdown", onPointerDown],
    ["pointerup", onPointerUp],
    ["pointercancel", onPointerCancel],
    ["click", onClick],
    ["mousedown", onClick],
    ["contextmenu", onClick],
    ["blur", onBlur],
  ];
  for (const [name, act] of all) window.addEventListener(name, act as EventListener, { capture: true });
  return () => {
    for (const [name, act] of all) window.removeEventListener(name, act as EventListener, { capture: true });
  };
}

function* ancestors(element: Element): Generator<Element> {
  for (let each: Element | null = element; each; each = each.parentElement) yield each;
}
