/** The page: Stop first, then one thing at a time, then what can always be said. */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Banners } from "./resident/Banner";
import { Footer, othersOf } from "./resident/Footer";
import { Help } from "./resident/Help";
import { viewOf } from "./resident/kinds";
import { listenForKeys } from "./resident/keys";
import { Pairing } from "./resident/Pairing";
import { QuestionScreen } from "./resident/QuestionScreen";
import { SendBar } from "./resident/SendBar";
import { SettingsSheet } from "./resident/Settings";
import { StoppedScreen, useStopNews } from "./resident/Stopped";
import { TopBar } from "./resident/TopBar";
import { useAnswering, type Answering } from "./resident/useAnswering";
import { useRoom } from "./resident/useRoom";
import { shownRobot, Waiting } from "./resident/Waiting";
import { arrange, View } from "./panels/registry";
import { RobotScreen } from "./panels/RobotScreen";
import { useStopByPad } from "./panels/scene/presses";
import { Shown } from "./panels/Shown";
import { useScanning } from "./scan/useScanning";
import { keep } from "./kept";
import { settings } from "./settings";
import { murmur } from "./speech";
import { current, link, me, notice, robots, sheet, stopped } from "./store";
import { unsent } from "./outbox";

export function App() {
  const { scan, scanMs, debounceMs, scanKeys, scanTap } = settings.value;
  useScanning({
    enabled: scan !== "off",
    mode: scan === "step" ? "step" : "auto",
    intervalMs: scanMs,
    debounceMs,
    keys: scanKeys,
    pointer: scanTap,
    speak: murmur,
  });
  useLayoutEffect(listenForKeys, []);
  if (link.value === "unpaired") return <Pairing />;
  return <Paired />;
}

function Paired() {
  const record = stopped.value ? null : current.value;
  const answering = useAnswering(record);
  unsent.value; // what is on its way belongs to what is shown
  useRoom();
  useStopByPad();
  useStopNews();
  const known = me.value !== null;
  useLayoutEffect(() => {
    if (known) keep("paired", true); // so that the page can say that it has ended
  }, [known]);
  useManners(record?.id ?? "");
  const bar = answering !== null && answering.said !== "" && !answering.unsent;
  return (
    <div class="shell">
      <TopBar />
      <Banners />
      <main>
        <Screen answering={answering} />
        <p class="unseen" role="status">
          {record && sheet.value === "none" ? `New question: ${record.question.prompt}` : ""}
        </p>
      </main>
      {answering && record && (
        <div class="bottom">
          {bar && (
            <SendBar
              key={record.id}
              choice={answering.draft}
              said={answering.said}
              effect={answering.effect}
              mayGo={answering.armed && !viewOf(record.question.kind).explicit}
              byKey={answering.byKey}
              onSend={answering.send}
              onUndo={answering.undo}
            />
          )}
          <Footer others={othersOf(record)} chosen={answering.draft.kind} onChoose={answering.reply} />
        </div>
      )}
    </div>
  );
}

/** Thanks for the last answer go when a question comes up; from one question to the next they stay to be read. */
function useManners(id: string): void {
  const last = useRef(id);
  useEffect(() => {
    if (id && !last.current && notice.value?.tone === "good") notice.value = null;
    last.current = id;
  }, [id]);
}

const PEOPLE = new View(() => import("./people/PeopleSheet"));
const CONTROLS = new View(() => import("./panels/scene/Controls"));

function Screen({ answering }: { answering: Answering | null }) {
  if (sheet.value === "help") return <Help />;
  if (sheet.value === "settings") return <SettingsSheet />;
  if (sheet.value === "people") return <Shown view={PEOPLE} with={{}} />;
  if (sheet.value === "controls") return <Shown view={CONTROLS} with={{}} />;
  if (stopped.value) return <StoppedScreen />;
  if (link.value === "starting")
    return (
      <section class="calm">
        <h1>Connecting …</h1>
      </section>
    );
  const record = current.value;
  if (!record || !answering) return <Waiting />;
  return (
    <Over>
      <QuestionScreen key={record.id} record={record} answering={answering} />
    </Over>
  );
}

/** A question among what it is about: over the hand that is driven, above the steps of the task, else alone. */
function Over({ children }: { children: ComponentChildren }) {
  const robot = shownRobot(robots.value.values());
  const place = robot?.state ? arrange(robot.state).question : "alone";
  if (robot && place === "over") return <RobotScreen robot={robot} question={children} />;
  return (
    <>
      {children}
      {robot && place === "above" && (
        <div class="robot-beneath">
          <RobotScreen robot={robot} />
        </div>
      )}
    </>
  );
}
