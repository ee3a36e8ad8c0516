import type { Importance, MemoryView, NewMemory } from "@/api/schema";

/** A memory as its form has it: all of it text. */
export type MemoryDraft = {
  content: string;
  tags: string;
  importance: Importance;
  project: string;
  evidence: string;
};

export const EMPTY: MemoryDraft = { content: "", tags: "", importance: "medium", project: "", evidence: "" };

export function draftOf({ content, tags, importance, project, evidence }: MemoryView): MemoryDraft {
  return { content, tags: tags.join(", "), importance, project: project ?? "", evidence: evidence ?? "" };
}

export function fromDraft({ content, tags, importance, project, evidence }: MemoryDraft): NewMemory {
  return {
    content: content.trim(),
    tags: tags
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
    importance,
    project: project.trim() || null,
    evidence: evidence.trim() || null,
  };
}
