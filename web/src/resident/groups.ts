/** Names of groups of controls that stand in several files: what lies side by side is scanned as one group. */

export const TOOLS = "Busy, help and settings";
