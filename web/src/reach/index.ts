/** Driving a hand. */
export { Controls } from "./Controls";
export { ReachView } from "./ReachView";
export { useStopByPad } from "./presses";
