/** A device that the server does not know: a code makes it known. */

import { useEffect, useState } from "preact/hooks";
import { pair, Refused } from "../api";
import { hurry, meet } from "../live";
import { kept } from "../kept";
import { link } from "../store";
import { Icon } from "../Icon";

let given: string | null = null;

/** Takes a code out of the address at once, so that it stands neither in the history nor on a photograph. */
export function takeCode(): void {
  const code = /[#&]code=([^&]+)/.exec(location.hash)?.[1];
  if (code === undefined) return;
  given = decodeURIComponent(code);
  history.replaceState(null, "", location.pathname + location.search);
}

/** Whether a code came with the address and has not been used. */
export const hasCode = (): boolean => given !== null;

function deviceName(): string {
  const agent = navigator.userAgent;
  const system = /iPad|iPhone|Android|Windows|Macintosh|CrOS|Linux/.exec(agent)?.[0] ?? "device";
  return `${{ Macintosh: "Mac", CrOS: "Chromebook" }[system] ?? system} browser`;
}

export function Pairing() {
  const [code, setCode] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const submit = async (text: string) => {
    if (busy) return;
    if (!text.trim()) return setProblem("Write the code first.");
    setBusy(true);
    setProblem("");
    try {
      meet(await pair(text.trim().toUpperCase(), deviceName()));
      link.value = "starting";
      hurry();
    } catch (error) {
      setProblem(error instanceof Refused ? error.words : "The server cannot be reached. Try again.");
      setBusy(false);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a code that came with the address is used once
  useEffect(() => {
    if (given === null) return;
    const now = given;
    given = null;
    setCode(now);
    void submit(now);
  }, []);
  return (
    <main class="pairing" data-testid="pairing">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(code);
        }}
      >
        <Icon name="link" />
        <h1>Pair this device</h1>
        {kept<boolean>("paired") && code === "" && (
          <p class="problem" role="status" data-testid="pairing-ended">
            This device's pairing has ended: its time is over, or somebody ended it. It needs a new code.
          </p>
        )}
        <p>Somebody who looks after the robot runs “handup pair” and gives you a code of eight characters.</p>
        <label class="field">
          <span>Code</span>
          <input
            type="text"
            data-testid="pair-code"
            data-scan
            autocomplete="one-time-code"
            autocapitalize="characters"
            spellcheck={false}
            maxLength={20}
            aria-invalid={problem !== ""}
            aria-describedby="pair-problem"
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        </label>
        <p class="problem" id="pair-problem" role="alert">
          {problem}
        </p>
        <button type="submit" class="primary wide" data-testid="pair" data-scan disabled={busy}>
          {busy ? "Pairing …" : "Pair"}
        </button>
        <p class="effect">To stop the robot from here it must be paired first. The robot's own button always works.</p>
      </form>
    </main>
  );
}
