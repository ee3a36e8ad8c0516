import type { HookView } from "@/api/schema";

const WORDS: Record<string, string> = {
  SessionStart: "Began",
  UserPromptSubmit: "Was asked",
  PreToolUse: "Begins to use",
  PostToolUse: "Used",
  PostToolUseFailure: "Failed to use",
  Stop: "Paused",
  SubagentStop: "A helper finished",
  Notification: "Told",
  SessionEnd: "Left",
};

/** Fields that say in a line what a tool was used for, the best first. */
const TELLING = ["command", "file_path", "path", "pattern", "query", "url", "description"] as const;

/** An event as a sentence, and the one detail that tells most. */
export function describe({ event, tool_name, payload }: HookView): { words: string; detail?: string } {
  const words = [WORDS[event] ?? event, tool_name].filter(Boolean).join(" ");
  const input = payload.tool_input;
  const from = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : payload;
  const told = [...TELLING, "prompt", "message", "reason"].map((name) => from[name]);
  const detail = told.find((value) => typeof value === "string" && value !== "");
  return { words, detail: detail as string | undefined };
}
