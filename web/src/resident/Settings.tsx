/** How the page looks and is used on this device. Every change holds at once. */

import { useState } from "preact/hooks";
import { leave } from "../api";
import { sample, sound, staysOn, type Sound } from "../attention";
import { forget } from "../kept";
import { change, CHIMES, DEBOUNCES, SCAN_SPEEDS, SEND_AFTER, settings, TEXT_SIZES } from "../settings";
import { hush, speak, voices } from "../speech";
import { link, me, sheet } from "../store";
import { Icon } from "../Icon";
import { Sheet } from "./Sheet";

interface PickProps<T> {
  title: string;
  note?: string;
  name: string;
  options: readonly { value: T; words: string }[];
  value: T;
  onPick: (value: T) => void;
}

/** One of a few, each a button. */
export function Pick<T>({ title, note, name, options, value, onPick }: PickProps<T>) {
  return (
    <fieldset class="pick">
      <legend>{title}</legend>
      {note && <p class="effect">{note}</p>}
      <div class="row">
        {options.map((each) => (
          <button
            key={each.words}
            type="button"
            class="secondary"
            data-testid={`set-${name}-${String(each.value)}`}
            data-scan
            data-scan-group={title}
            aria-pressed={each.value === value}
            onClick={() => onPick(each.value)}
          >
            {each.words}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

const ON_OFF = [
  { value: false, words: "Off" },
  { value: true, words: "On" },
];
const SOUND: Record<Sound, string> = {
  none: "This browser makes no sounds.",
  locked: "Your browser allows sound only once you have touched this page or pressed a key, each time it is opened.",
  ready: "You hear it when you choose one.",
};
const LOUD = { off: "Off", soft: "Soft", medium: "Medium", loud: "Loud" };
const seconds = (ms: number): string => `${ms / 1000} s`;

export function SettingsSheet() {
  const now = settings.value;
  return (
    <Sheet title="Settings">
      <fieldset class="pick">
        <legend>People</legend>
        <p class="effect">Who can help, when I may ask, and how I tell them.</p>
        <div class="row">
          <button
            type="button"
            class="secondary"
            data-testid="people"
            data-scan
            onClick={() => {
              sheet.value = "people";
            }}
          >
            <Icon name="person" />
            <span>People</span>
          </button>
        </div>
      </fieldset>
      <Pick
        title="Size of the text"
        name="text"
        options={TEXT_SIZES.map((value) => ({ value, words: `${value} %` }))}
        value={now.text}
        onPick={(text) => change({ text })}
      />
      <Pick
        title="Light or dark"
        name="theme"
        options={[
          { value: "system", words: "Like the device" },
          { value: "light", words: "Light" },
          { value: "dark", words: "Dark" },
        ]}
        value={now.theme}
        onPick={(theme) => change({ theme: theme as typeof now.theme })}
      />
      <Pick
        title="Read questions aloud"
        {...(voices.value.length === 0 ? { note: "This device has no voice of its own." } : {})}
        name="speech"
        options={ON_OFF}
        value={now.speech}
        onPick={(speech) => {
          change({ speech });
          if (speech) speak("Questions are read aloud.");
          else hush();
        }}
      />
      <Pick
        title="Sound for a new question"
        note={SOUND[sound.value]}
        name="chime"
        options={CHIMES.map((value) => ({ value, words: LOUD[value] }))}
        value={now.chime}
        onPick={(chime) => {
          change({ chime });
          void sample();
        }}
      />
      <Pick
        title="Keep the screen on while I work"
        {...(staysOn ? {} : { note: "This browser cannot do that. Where it can, it needs an address with https." })}
        name="awake"
        options={ON_OFF}
        value={now.awake}
        onPick={(awake) => change({ awake })}
      />
      <Pick
        title="One switch (scanning)"
        note="One place after the other is marked. “Moves by itself”: the switch presses the marked place. “Moves by the switch”: the first key moves the mark on, the others press."
        name="scan"
        options={[
          { value: "off", words: "Off" },
          { value: "auto", words: "Moves by itself" },
          { value: "step", words: "Moves by the switch" },
        ]}
        value={now.scan}
        onPick={(scan) => change({ scan: scan as typeof now.scan })}
      />
      {now.scan === "auto" && (
        <Pick
          title="Each place stays marked for"
          name="speed"
          options={SCAN_SPEEDS.map((value) => ({ value, words: seconds(value) }))}
          value={now.scanMs}
          onPick={(scanMs) => change({ scanMs })}
        />
      )}
      {now.scan !== "off" && (
        <>
          <Pick
            title="A tap anywhere is a switch"
            note="On: a tap anywhere presses the marked place, not what it touches. Only Stop is always Stop. Off: a tap presses what it touches."
            name="tap"
            options={ON_OFF}
            value={now.scanTap}
            onPick={(scanTap) => change({ scanTap })}
          />
          <Pick
            title="A second press counts after"
            note="For hands that tremble: a press that comes sooner does not count."
            name="debounce"
            options={DEBOUNCES.map((value) => ({ value, words: value === 0 ? "At once" : seconds(value) }))}
            value={now.debounceMs}
            onPick={(debounceMs) => change({ debounceMs })}
          />
          <SwitchKeys />
        </>
      )}
      <Pick
        title="Send by itself"
        note="A chosen answer goes out after this time. You see the time run and can stop it. Permissions always wait for you."
        name="send"
        options={SEND_AFTER.map((value) => ({ value, words: value === 0 ? "Never" : `After ${value} s` }))}
        value={now.sendAfter}
        onPick={(sendAfter) => change({ sendAfter })}
      />
      <Pick
        title="Single keys"
        note="1 to 9 choose an answer, S stops, N is “not now”, H is help. F9, F2 and F1 do so in any case."
        name="keys"
        options={ON_OFF}
        value={now.keys}
        onPick={(keys) => change({ keys })}
      />
      <label class="field">
        <span>Whom to call (shown in Help)</span>
        <input
          type="text"
          data-testid="set-contact"
          data-scan
          maxLength={200}
          value={now.contact}
          onInput={(event) => change({ contact: event.currentTarget.value })}
        />
      </label>
      <Leave />
    </Sheet>
  );
}

/** Keys of the switch: pressed once to be known. */
function SwitchKeys() {
  const [listening, setListening] = useState(false);
  const named = settings.value.scanKeys.map((key) => (key === " " ? "Space" : key)).join(", ");
  return (
    <fieldset class="pick">
      <legend>Keys of the switch</legend>
      <p class="effect">{named}</p>
      <div class="row">
        <button
          type="button"
          class="secondary"
          data-testid="set-switch-key"
          data-scan
          onClick={() => setListening(true)}
          onBlur={() => setListening(false)}
          onKeyDown={(event) => {
            if (!listening || ["Tab", "Escape", "F9"].includes(event.key)) return setListening(false);
            event.preventDefault();
            event.stopPropagation();
            change({ scanKeys: [...new Set([...settings.value.scanKeys, event.key])].slice(-5) });
            setListening(false);
          }}
        >
          {listening ? "Press the switch now" : "Add a key"}
        </button>
        <button
          type="button"
          class="secondary"
          data-testid="set-switch-usual"
          data-scan
          onClick={() => change({ scanKeys: [" ", "Enter"] })}
        >
          Only Space and Enter
        </button>
      </div>
    </fieldset>
  );
}

/** Gives the pairing up; asked twice, since the page is of no use afterwards. */
function Leave() {
  const [asked, setAsked] = useState(false);
  const go = async () => {
    await leave().catch(() => undefined);
    forget("paired");
    sheet.value = "none";
    me.value = null;
    link.value = "unpaired";
  };
  return (
    <fieldset class="pick">
      <legend>This device</legend>
      <p class="effect">
        {me.value ? `Paired as ${me.value.name} (${me.value.role}).` : ""} {asked && "Afterwards it needs a new code."}
      </p>
      <div class="row">
        {asked && (
          <button type="button" class="secondary" data-testid="leave-no" data-scan onClick={() => setAsked(false)}>
            No, stay paired
          </button>
        )}
        <button
          type="button"
          class="secondary"
          data-testid={asked ? "leave-yes" : "leave"}
          data-scan
          onClick={() => (asked ? void go() : setAsked(true))}
        >
          {asked ? "Yes, unpair" : "Unpair this device"}
        </button>
      </div>
    </fieldset>
  );
}
