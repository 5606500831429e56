/** Answers on a picture: a box, or named points. */
export { BoxInput } from "./BoxInput";
export { Drawing, type Shape } from "./Drawing";
export { PointsInput } from "./PointsInput";
export { Mark, Stage } from "./Stage";
export { isBox } from "./words";
