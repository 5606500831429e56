/** Sheet that covers the question, such as Help. Stop and the other replies stay where they are. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { sheet } from "../store";
import { Icon } from "../Icon";

export function Sheet({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
    document.querySelector("main")?.scrollTo(0, 0);
  }, []);
  return (
    <section class="sheet" aria-labelledby="sheet-title" data-testid="sheet">
      <div class="sheet-head">
        <button
          type="button"
          class="secondary"
          data-testid="sheet-close"
          data-scan
          onClick={() => {
            sheet.value = "none";
          }}
        >
          <Icon name="back" />
          <span>Back</span>
        </button>
        <h1 id="sheet-title" tabIndex={-1} ref={heading}>
          {title}
        </h1>
      </div>
      {children}
    </section>
  );
}
