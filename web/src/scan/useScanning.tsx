/** Scanning for the whole page: call it once, at the root. */
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { scanning } from "./active";
import { Highlight } from "./Highlight";
import { LetterBoard, type TextField } from "./LetterBoard";
import { Scanner, type ScanSettings, type Sight } from "./scanner";
import { listen } from "./switches";
import "./scan.css";

export interface ScanOptions extends Partial<ScanSettings> {
  enabled: boolean;
  mode: "auto" | "step";
  intervalMs: number;
}

const DEFAULTS = { debounceMs: 300, keys: [" ", "Enter"], pointer: true, stopAfterMs: 2000 } as const;

/** Marks one control after the other and presses the marked one when the switch is pressed. Stop is first. */
export function useScanning(options: ScanOptions): void {
  const settings = useRef<ScanSettings>({ ...DEFAULTS, ...options });
  settings.current = { ...DEFAULTS, ...options };
  const scanner = useRef<Scanner | null>(null);
  useEffect(() => scanner.current?.set(settings.current));
  useEffect(() => {
    scanning.value = options.enabled;
    if (!options.enabled) return;
    document.documentElement.dataset.scanning = "";
    const layer = new Layer();
    const made = new Scanner(settings.current, layer.showSight, layer.openBoard);
    scanner.current = made;
    const deaf = listen(made, () => settings.current);
    made.start();
    return () => {
      deaf();
      made.end();
      layer.end();
      scanner.current = null;
      delete document.documentElement.dataset.scanning;
      scanning.value = false;
    };
  }, [options.enabled, options.mode]);
}

/** What scanning itself shows, at the end of the page and over everything else. */
class Layer {
  private readonly host = document.body.appendChild(document.createElement("div"));
  private sight: Sight = { entry: null, group: null, note: "" };
  private field: TextField | null = null;
  private readonly watch: number;

  constructor() {
    this.host.className = "scan-layer";
    this.watch = window.setInterval(() => {
      if (this.field && !this.field.isConnected) this.closeBoard();
    }, 250);
  }

  showSight = (sight: Sight): void => {
    this.sight = sight;
    this.draw();
  };

  openBoard = (field: TextField): void => {
    this.field = field;
    this.draw();
  };

  end(): void {
    window.clearInterval(this.watch);
    render(null, this.host);
    this.host.remove();
  }

  private closeBoard = (): void => {
    this.field = null;
    this.draw();
  };

  private draw(): void {
    render(
      <>
        {this.field && <LetterBoard field={this.field} onDone={this.closeBoard} />}
        <Highlight sight={this.sight} />
      </>,
      this.host,
    );
  }
}
