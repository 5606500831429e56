/** Answer on its way. If the server cannot be reached, it is kept on this device and can be taken back. */

import type { Unsent } from "../outbox";
import { link } from "../store";
import { Icon } from "../Icon";
import { sentence } from "../panels/words";

export function Sent({ unsent, onUndo }: { unsent: Unsent; onUndo: () => void }) {
  const lost = link.value !== "live";
  return (
    <div class="sent" data-testid="sent" role="status">
      <p class="says">
        <span class="says-label">You said</span> <b>{sentence(unsent.said)}</b>
      </p>
      <p>
        {lost ? "It is kept on this device and goes out as soon as there is a connection again." : "It is on its way."}
      </p>
      {lost && (
        <button type="button" class="secondary" data-testid="undo" data-scan onClick={onUndo}>
          <Icon name="undo" />
          <span>Undo</span>
        </button>
      )}
    </div>
  );
}
