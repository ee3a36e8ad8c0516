import { expect, test } from "vitest";

import type { ServerMessage, ServerPayloads } from "@/api/coach";

import { coachReducer, type Move } from "./reducer";
import { type DeskState, EMPTY, isUnsaved, isUnsent, type Tab } from "./state";

const TRIP = "src/trip.py";

function from<Type extends keyof ServerPayloads>(
  type: Type,
  payload: ServerPayloads[Type],
  id?: string,
): ServerMessage {
  return { type, payload, id, timestamp: 0 } as ServerMessage;
}

function after(...messages: (ServerMessage | Move)[]): DeskState {
  return messages.reduce(coachReducer, EMPTY);
}

const content = (text: string, saved: string | null = null) =>
  from("fs:content", { path: TRIP, content: text, language: "python", lineCount: 1, saved });
const opened: Move = { type: "tab:opening", path: TRIP, askedBy: "w1" };
const typed = (text: string): Move => ({ type: "tab:typed", path: TRIP, text });
const onDisk = (text: string | null): Move => ({ type: "tab:on_disk", path: TRIP, text });
const tabAfter = (...messages: (ServerMessage | Move)[]) => after(...messages).tabs[0] as Tab;

const phase = (number: number, status: "pending" | "active" | "complete") => ({
  id: `p${number}`,
  number,
  title: "Find it",
  description: "Look.",
  status,
  hintLevel: "file" as const,
  expectedFiles: [],
});
const started = from("session:started", {
  sessionId: "s1",
  issueContext: { title: "Cents", summary: "", labels: [] },
  phases: [],
  hintLevel: "file",
  openFiles: [],
});

test("a file opens with the edits that the server kept, and knows what is on disk", () => {
  const tab = tabAfter(opened, content("edited", "on disk"));
  expect(tab).toMatchObject({ text: "edited", saved: "on disk", isLoading: false });
  expect(isUnsaved(tab)).toBe(true);
  expect(isUnsent(tab)).toBe(false);
});

test("a file that another window opened does not open here", () => {
  expect(after(content("x")).tabs).toEqual([]);
});

test("what was typed is never replaced by what the server sends", () => {
  const tab = tabAfter(opened, content("one"), typed("mine"), content("one"));
  expect(tab).toMatchObject({ text: "mine", saved: "one", foreign: undefined });
  expect(isUnsent(tab)).toBe(true);
});

test("a save that is acknowledged leaves what was typed meanwhile unsaved", () => {
  const saving: Move = { type: "tab:saving", path: TRIP, text: "mine" };
  const acknowledged = from("fs:save_ack", { path: TRIP, success: true, timestamp: "" });
  expect(isUnsaved(tabAfter(opened, content("one"), typed("mine"), saving, acknowledged))).toBe(false);
  const tab = tabAfter(opened, content("one"), typed("mine"), saving, typed("more"), acknowledged);
  expect(tab).toMatchObject({ text: "more", saved: "mine", saving: undefined });
});

test("a save that fails keeps the text and says why", () => {
  const saving: Move = { type: "tab:saving", path: TRIP, text: "mine" };
  const failed = from("fs:save_error", { path: TRIP, error: "The disk is full." });
  const tab = tabAfter(opened, content("one"), typed("mine"), saving, failed);
  expect(tab).toMatchObject({ text: "mine", saved: "one", saving: undefined });
  expect(tab.saveProblem).toBe("The disk is full.");
});

test("a change on disk is taken over, or told where there are edits", () => {
  expect(tabAfter(opened, content("one"), onDisk("two"))).toMatchObject({ text: "two", saved: "two" });
  const told = tabAfter(opened, content("one"), typed("mine"), onDisk("two"));
  expect(told).toMatchObject({ text: "mine", foreign: "two" });
  const edited = [opened, content("one"), typed("mine"), onDisk("two")] as const;
  expect(tabAfter(...edited, { type: "tab:kept", path: TRIP })).toMatchObject({ text: "mine", saved: "two" });
  expect(tabAfter(...edited, { type: "tab:reloaded", path: TRIP })).toMatchObject({
    text: "two",
    saved: "two",
  });
});

test("this window's own save is no change on disk", () => {
  const saving: Move = { type: "tab:saving", path: TRIP, text: "mine" };
  expect(tabAfter(opened, content("one"), typed("mine"), saving, onDisk("mine")).foreign).toBeUndefined();
});

test("a file that is deleted while open is unsaved until it is written again", () => {
  const gone = tabAfter(opened, content("one"), onDisk(null));
  expect(isUnsaved(gone)).toBe(true);
  expect(gone.text).toBe("one");
});

test("a file that cannot be opened leaves no tab", () => {
  const problem = { code: "NOT_FOUND", message: "No such file.", context: {} };
  expect(after(opened, from("connection:error", problem, "w1")).tabs).toEqual([]);
  expect(after(opened, content("one"), from("connection:error", problem, "w1")).tabs).toHaveLength(1);
});

test("hints gather by file, and are cleared", () => {
  const suggested = from("explorer:hint_files", { hints: [{ path: TRIP, style: "suggested" }] });
  const critical = from("explorer:hint_files", { hints: [{ path: TRIP, style: "critical" }] });
  expect(after(suggested, critical).fileHints).toEqual([{ path: TRIP, style: "critical" }]);
  expect(after(suggested, from("explorer:clear_hints", {})).fileHints).toEqual([]);
});

test("a highlight that is said twice is shown once, and cleared by file", () => {
  const lines = from("editor:highlight_lines", { path: TRIP, start: 1, end: 2, style: "focus" });
  const elsewhere = from("editor:highlight_lines", { path: "b.py", start: 1, end: 2, style: "focus" });
  expect(after(lines, lines).highlights).toHaveLength(1);
  const cleared = after(lines, elsewhere, from("editor:clear_highlights", { path: TRIP }));
  expect(cleared.highlights.map(({ path }) => path)).toEqual(["b.py"]);
  expect(after(lines, elsewhere, from("editor:clear_highlights", {})).highlights).toEqual([]);
});

test("phases follow the plan and its moves, and the conversation tells them", () => {
  const plan = from("coaching:plan_ready", {
    planId: "1",
    phases: [phase(1, "active"), phase(2, "pending")],
    memoryConnection: "You met this before.",
    estimatedDifficulty: "beginner",
  });
  const moved = from("coaching:phase_update", {
    phase: phase(1, "complete"),
    status: "complete",
    description: "Look.",
  });
  const state = after(started, plan, moved);
  expect(state.phases.map(({ status }) => status)).toEqual(["complete", "pending"]);
  expect(state.talk.map(({ kind }) => kind)).toEqual(["note", "message", "note"]);
  expect(new Set(state.talk.map(({ key }) => key)).size).toBe(3);
});

test("a question waits for its answer, its refusal, or the loss of the connection", () => {
  const asked: Move = { type: "talk:asked", waiting: "review", id: "w7", text: "Please look." };
  const reviewed = { phase: 1, review: "Good.", suggestions: [], passed: true, offline: true };
  expect(after(asked).waiting.review).toBe("w7");
  expect(after(asked, from("review:response", reviewed)).waiting.review).toBeUndefined();
  const refused = from("connection:error", { code: "TOO_MANY", message: "Wait.", context: {} }, "w7");
  expect(after(asked, refused).waiting.review).toBeUndefined();
  const lost = after(asked, { type: "desk:lost" });
  expect(lost.waiting.review).toBeUndefined();
  expect(lost.talk.at(-1)).toMatchObject({ kind: "trouble" });
  expect(after({ type: "desk:lost" }).talk).toEqual([]);
});

test("a kata's review is no part of this conversation", () => {
  const error = from("review:error", { kataId: "k1", error: "No." });
  expect(after(error).talk).toEqual([]);
});

test("a session that ends leaves the open files, and its summary to be read", () => {
  const summary = {
    sessionId: "s1",
    status: "completed",
    text: "Done.",
  } as ServerPayloads["session:ended"]["summary"];
  const state = after(started, opened, content("one"), from("session:ended", { summary }));
  expect(state).toMatchObject({ session: null, phases: [], ended: summary });
  expect(state.tabs).toHaveLength(1);
  expect(coachReducer(state, { type: "report:read" }).ended).toBeNull();
});

test("the end of an earlier session does not end this one", () => {
  const summary = {
    sessionId: "s0",
    status: "abandoned",
    text: "",
  } as ServerPayloads["session:ended"]["summary"];
  expect(after(started, from("session:ended", { summary })).session?.id).toBe("s1");
});
