/** What the robot decided last, why, and how likely it thinks that it works. */
import type { DecisionPanel, RobotState } from "../types";
import type { PanelProps } from "./registry";
import { Bar, Tile } from "./Tile";
import { named, percent, sentence } from "./words";

const WORDS: Record<DecisionPanel["action"], string> = {
  act: "I do it",
  recover: "I try to put it right",
  ask: "I ask",
  wait: "I wait",
  yield: "I leave it to you",
};

export default function Decision({ panel, state }: PanelProps<DecisionPanel>) {
  const { action, module, reason = "", reliability = null } = panel;
  return (
    <Tile of="decision" title="What I decided">
      <p>
        <b>
          {WORDS[action]}
          {module && ` (${labelOf(module, state)})`}.
        </b>
        {reason && <span class="quiet-words"> {sentence(reason)}</span>}
      </p>
      {reliability !== null && (
        <p class="decision-sure">
          All together: {percent(reliability)} that it works.
          <Bar share={reliability} label="That it works" />
        </p>
      )}
    </Tile>
  );
}

/** The word that people know a module by, where the robot says one. */
function labelOf(module: string, { panels = [] }: RobotState): string {
  const links = panels.flatMap((panel) => (panel.panel === "chain" ? panel.links : []));
  return links.find((link) => link.module === module)?.label || named(module);
}
