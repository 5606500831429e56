/** Whether somebody scans just now, for parts of the page that then offer another way first. */
import { signal } from "@preact/signals";

export const scanning = signal(false);
