/** Mounts one part of the page at a time, with whatever a test gives it. Never part of the shipped page. */
import "../src/styles/tokens.css";
import "../src/styles/app.css";
import { render } from "preact";
import { useState } from "preact/hooks";
import { RobotScreen } from "../src/panels/RobotScreen";
import { BoxInput, PointsInput } from "../src/picture";
import { isWhole } from "../src/resident/kinds";
import { useScanning, type ScanOptions } from "../src/scan";
import type { Box, Point, Question, RobotView, Value } from "../src/types";
import "./bench.css";

interface Plan {
  question?: Question & { id: string };
  half?: unknown;
  robot?: RobotView;
  buttons?: { id: string; words: string; group?: string }[];
  text?: string;
  scan?: Partial<ScanOptions>;
  spoken?: boolean;
}

interface Bench {
  plan: Plan;
  value: unknown;
  half: unknown;
  log: string[];
  show: (plan: Partial<Plan>) => void;
}

declare global {
  interface Window {
    bench: Bench;
  }
}

function Answering({ question, half: first }: { question: Question & { id: string }; half: unknown }) {
  const [value, setValue] = useState<Value | null>(null);
  const [half, setHalf] = useState<unknown>(first ?? null);
  window.bench.value = value;
  window.bench.half = half;
  const shared = { question, onChange: setValue, onHalf: setHalf };
  return (
    <section data-question={question.id} data-testid="question">
      <h1>{question.prompt}</h1>
      {question.kind === "box" ? (
        <BoxInput {...shared} value={value as Box | null} half={half as Box | null} />
      ) : (
        <PointsInput {...shared} value={value as Point[] | null} half={half as Point[] | null} />
      )}
      {isWhole(question, value) && (
        <p class="bench-row">
          <Button id="send" words="Send" group="Your reply" />
          <button
            type="button"
            data-testid="undo"
            data-scan
            data-scan-group="Your reply"
            onClick={() => {
              setValue(null);
              setHalf(null);
            }}
          >
            Undo
          </button>
        </p>
      )}
    </section>
  );
}

function Button({ id, words, group }: { id: string; words: string; group?: string | undefined }) {
  return (
    <button type="button" data-testid={id} data-scan data-scan-group={group} onClick={() => window.bench.log.push(id)}>
      {words}
    </button>
  );
}

function Shell({ plan }: { plan: Plan }) {
  const speak = plan.spoken ? (words: string) => void window.bench.log.push(`says ${words}`) : undefined;
  useScanning({ mode: "auto", intervalMs: 1000, speak, ...plan.scan, enabled: plan.scan?.enabled ?? false });
  return (
    <>
      <button
        type="button"
        class="bench-stop"
        data-testid="stop"
        data-scan
        onPointerDown={() => window.bench.log.push("stop")}
      >
        Stop
      </button>
      {plan.question && <Answering key={plan.question.id} question={plan.question} half={plan.half} />}
      {plan.robot && <RobotScreen robot={plan.robot} />}
      {plan.text !== undefined && (
        <label>
          Your answer{" "}
          <input type="text" data-testid="text" data-scan data-suggestions={JSON.stringify(plan.text.split("|"))} />
        </label>
      )}
      <p class="bench-row">
        {plan.buttons?.map((each) => (
          <Button key={each.id} id={each.id} words={each.words} group={each.group} />
        ))}
      </p>
    </>
  );
}

function show(change: Partial<Plan>): void {
  window.bench.plan = { ...window.bench.plan, ...change };
  render(<Shell plan={window.bench.plan} />, document.getElementById("bench")!);
}

window.bench = { plan: {}, value: null, half: null, log: [], show };
