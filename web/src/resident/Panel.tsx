/** A sheet in place of the question. Stop and the other replies stay where they are. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { panel } from "../store";
import { Icon } from "./Icon";

export function Panel({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
    document.querySelector("main")?.scrollTo(0, 0);
  }, []);
  return (
    <section class="panel" aria-labelledby="panel-title" data-testid="panel">
      <div class="panel-head">
        <button
          type="button"
          class="secondary"
          data-testid="panel-close"
          data-scan
          onClick={() => {
            panel.value = "none";
          }}
        >
          <Icon name="back" />
          <span>Back</span>
        </button>
        <h1 id="panel-title" tabIndex={-1} ref={heading}>
          {title}
        </h1>
      </div>
      {children}
    </section>
  );
}
