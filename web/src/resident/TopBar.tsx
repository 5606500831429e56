/** Always there: Stop first and on press; busy or back; help; settings. */

import { stop, stopping } from "../stop";
import { me, sheet } from "../store";
import { Icon } from "../Icon";
import { BusyButton } from "./Busy";
import { TOOLS } from "./groups";

export function StopButton() {
  return (
    <button
      type="button"
      class="stop"
      data-testid="stop"
      data-scan
      data-scan-stop
      onPointerDown={(event) => {
        if (event.button === 0) stop();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") stop();
      }}
      onClick={() => stop()}
    >
      <Icon name="stop" filled />
      <span>{stopping.value ? "Stopping" : "Stop"}</span>
    </button>
  );
}

export function TopBar() {
  const toggle = (which: "help" | "settings") => {
    sheet.value = sheet.value === which ? "none" : which;
  };
  return (
    <header class="topbar">
      <StopButton />
      <p class="who">{me.value ? me.value.name : ""}</p>
      <BusyButton />
      {(["help", "settings"] as const).map((which) => (
        <button
          key={which}
          type="button"
          class="tool"
          data-testid={which}
          data-scan
          data-scan-group={TOOLS}
          aria-pressed={sheet.value === which}
          onClick={() => toggle(which)}
        >
          <Icon name={which} />
          <span>{which === "help" ? "Help" : "Settings"}</span>
        </button>
      ))}
    </header>
  );
}
