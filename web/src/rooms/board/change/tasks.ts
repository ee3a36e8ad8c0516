import type { ChangeView, TaskView } from "@/api/schema";

/** Tasks below the headings they stand under, in the file's order. */
export function groupTasks(tasks: readonly TaskView[]): { title: string; tasks: TaskView[] }[] {
  const groups: { title: string; tasks: TaskView[] }[] = [];
  for (const task of tasks) {
    const last = groups.at(-1);
    if (last?.title === task.group) last.tasks.push(task);
    else groups.push({ title: task.group, tasks: [task] });
  }
  return groups;
}

/** The change as it will be once the server has ticked, or cleared, that task. */
export function withTick(change: ChangeView, id: string, done: boolean): ChangeView {
  const tasks = change.tasks.map((task) => (task.id === id ? { ...task, done } : task));
  return { ...change, tasks, tasks_done: tasks.filter((task) => task.done).length };
}
