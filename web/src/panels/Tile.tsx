/** The frame of a panel, with its heading; and a bar for a share of one. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Panel } from "../types";

interface TileProps {
  of: Panel["panel"] | "goals";
  title: string;
  children: ComponentChildren;
}

export function Tile({ of, title, children }: TileProps) {
  const id = useId();
  return (
    <section class={`tile ${of}`} data-testid={`panel-${of}`} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}

export function Bar({ share, label }: { share: number; label: string }) {
  return <meter class="bar" min={0} max={1} value={share} aria-label={label} />;
}
