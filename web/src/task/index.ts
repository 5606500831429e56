/** The view of a task under way. */
export { TaskView } from "./TaskView";
