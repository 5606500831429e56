/** The meal view. */
export { MealView } from "./MealView";
