import type { CallState, GateKind, HookOutcome, LoopStatus, Point, RunStatus } from "@/api/schema";
import type { Tone } from "@/components/Badge";

type Said = readonly [words: string, tone: Tone];

export const TURN: Record<RunStatus, Said> = {
  queued: ["about to start", "info"],
  running: ["working", "info"],
  paused: ["needs you", "warn"],
  completed: ["done", "good"],
  failed: ["failed", "bad"],
  cancelled: ["stopped", "neutral"],
};

export const ENDING: Record<LoopStatus, Said> = {
  success: ["Done", "good"],
  error_max_turns: ["Stopped: too many steps", "warn"],
  error_max_budget: ["Stopped: the budget is spent", "warn"],
  error_hook_abort: ["Stopped by a check", "warn"],
  error_tool_retry_exhausted: ["Stopped: a tool kept failing", "bad"],
  error_no_progress: ["Stopped: it went round in circles", "warn"],
};

export const OUTCOME: Record<HookOutcome, Said> = {
  pass: ["passed", "good"],
  revise: ["sent back", "info"],
  abort: ["stopped the turn", "bad"],
  failed: ["failed, left out", "warn"],
  interrupted: ["interrupted", "neutral"],
};

export const CALL: Record<CallState, Said> = {
  pending: ["under way", "info"],
  completed: ["done", "good"],
  failed: ["failed", "bad"],
};

/** What somebody decided, as it is told afterwards. */
const DECISIONS: Record<string, string> = {
  accept: "Accepted",
  revise: "Revise",
  alternatives: "See alternatives",
  confirm: "Yes",
  modify: "Corrected",
  dismiss: "Left out",
  edit: "Reworded",
  keep: "Kept",
  answer: "Answered",
  skip: "Skipped",
  allow: "Allowed once",
  always: "Allowed for the turn",
  deny: "Denied",
};

export function decisionWords(decision: string): string {
  return DECISIONS[decision] ?? decision.charAt(0).toUpperCase() + decision.slice(1);
}

export const GATE: Record<GateKind, string> = {
  feedforward: "what it has in mind",
  confidence: "how sure you are",
  reflection: "questions about the draft",
  adjudication: "your verdict on the draft",
  memory_capture: "what to remember",
  name_check: "a name in a note",
  permission: "your permission",
};

export const POINT: Record<Point, string> = {
  preLoop: "before it begins",
  preModel: "before each model call",
  postModel: "after each model call",
  preTool: "before each tool",
  postTool: "after each tool",
  onHandoff: "when another agent takes over",
  onSubagentStart: "when a helper starts",
  onSubagentEnd: "when a helper is done",
  postLoop: "when the draft is there",
};

/** `lesson-planning:create-lesson` as a heading: “Create lesson”. */
export function commandTitle(name: string): string {
  const words = (name.split(":").at(-1) ?? name).replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `class:3B` or `teacher`, as a note's scope is told. */
export function scopeWords(scope: string): string {
  return scope.startsWith("class:") ? `about ${scope.slice("class:".length)}` : "about you";
}
