/** What happened last, the latest first: failures, what the robot did about them, and what people said. */
import { Icon, type IconName } from "../Icon";
import type { TimelineEntry, TimelinePanel } from "../types";
import type { PanelProps } from "./registry";
import { Tile } from "./Tile";
import { clock } from "./words";

const ICONS: Record<TimelineEntry["kind"], IconName> = {
  failed: "lost",
  recovering: "again",
  recovered: "moving",
  asked: "hand",
  answered: "person",
  said: "robot",
};

export default function Timeline({ panel: { entries } }: PanelProps<TimelinePanel>) {
  return (
    <Tile of="timeline" title="What happened">
      {entries.length === 0 && <p>Everything went as planned so far.</p>}
      <ol reversed>
        {[...entries].reverse().map(({ at_s, kind, words }, index) => (
          <li key={entries.length - index} class={`entry is-${kind}`} data-testid="entry">
            <Icon name={ICONS[kind]} />
            <span class="entry-at">{clock(at_s)}</span>
            <span class="entry-words">{words}</span>
          </li>
        ))}
      </ol>
    </Tile>
  );
}
