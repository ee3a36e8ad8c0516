import type { BoardTier, GlobalItem, ProjectItem, TaskItem } from "@/api/schema";

export type Item = TaskItem | ProjectItem | GlobalItem;

export const TIER: Record<BoardTier, { name: string; about: string; categories: readonly string[] }> = {
  project: {
    name: "Of a project",
    about: "What agents see when they take on work in that project.",
    categories: ["architecture", "naming", "business_logic", "file_structure", "dependencies"],
  },
  global: {
    name: "Everywhere",
    about: "What agents see in every project, once it has proven itself.",
    categories: ["pattern", "lesson", "convention", "solution", "anti_pattern"],
  },
  task: {
    name: "Of a change",
    about: "Notes made while working on a change, for whoever takes it up again.",
    categories: ["decision", "challenge", "solution", "file_change", "test_result"],
  },
};

export function tierOf(item: Item): BoardTier {
  return item.tier ?? "task";
}

/** Handed over from this weight on, out of ten. */
export const HANDED_OVER_FROM = 7;

export function weightOf(item: Item): number | undefined {
  if ("relevance" in item) return item.relevance;
  return "confidence" in item ? item.confidence : undefined;
}
