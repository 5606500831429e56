/** The page: Stop first, then one thing at a time, then what can always be said. */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Banners } from "./resident/Banner";
import { Footer, othersOf } from "./resident/Footer";
import { Help } from "./resident/Help";
import { listenForKeys } from "./resident/keys";
import { Pairing } from "./resident/Pairing";
import { QuestionScreen } from "./resident/QuestionScreen";
import { SendBar } from "./resident/SendBar";
import { SettingsPanel } from "./resident/SettingsPanel";
import { StoppedScreen, useStopNews } from "./resident/Stopped";
import { TopBar } from "./resident/TopBar";
import { useAnswering, type Answering } from "./resident/useAnswering";
import { useRoom } from "./resident/useRoom";
import { shownRobot, Waiting } from "./resident/Waiting";
import { Controls, ReachView, useStopByPad } from "./reach";
import { useScanning } from "./scan/useScanning";
import { keep } from "./kept";
import { settings } from "./settings";
import { murmur } from "./speech";
import { current, link, me, notice, panel, robots, stopped } from "./store";
import { TaskView } from "./task";
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
          {record && panel.value === "none" ? `New question: ${record.question.prompt}` : ""}
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
              mayGo={answering.armed && record.question.kind !== "permission"}
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

function Screen({ answering }: { answering: Answering | null }) {
  if (panel.value === "help") return <Help />;
  if (panel.value === "settings") return <SettingsPanel />;
  if (panel.value === "controls") return <Controls />;
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

/** A question over what it is about: the hand that is driven, or where in its task the robot is. */
function Over({ children }: { children: ComponentChildren }) {
  const robot = shownRobot(robots.value.values());
  const { task, reach } = robot?.state ?? {};
  if (robot?.state && reach) return <ReachView robot={robot} state={robot.state} reach={reach} asked={children} />;
  return (
    <>
      {children}
      {robot && task && (
        <div class="task-beneath">
          <TaskView robot={robot} task={task} />
        </div>
      )}
    </>
  );
}
