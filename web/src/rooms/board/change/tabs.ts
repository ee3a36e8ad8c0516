import type { ChangeView } from "@/api/schema";

export const TABS = {
  proposal: "Proposal",
  design: "Design",
  deltas: "Spec deltas",
  tasks: "Tasks",
  validation: "Validation",
  overlaps: "Overlaps",
  history: "History",
  revisions: "Revisions",
  failure: "Failing test",
  context: "Context",
} as const;

export type Tab = keyof typeof TABS;

/** Only a change that comes from a failing test has a tab for it. */
export function tabsOf(change: ChangeView): Tab[] {
  return (Object.keys(TABS) as Tab[]).filter((tab) => tab !== "failure" || change.fingerprint !== null);
}

/** The tab in which a file of a change is read and edited. */
export function tabOfFile(file: string): Tab {
  if (file === "tasks.md") return "tasks";
  if (file === "design.md") return "design";
  return file.startsWith("specs") || file === ".openspec.yaml" || file === "" ? "deltas" : "proposal";
}
