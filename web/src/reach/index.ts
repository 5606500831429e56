/** Driving a hand. */
export { Controls } from "./Controls";
export { ReachView } from "./ReachView";
export { Scene } from "./Scene";
