import { expect, test } from "vitest";

import { hear, type LiveTurn } from "./useLiveTurn";

const BEGIN: LiveTurn = { runId: "run_1", events: [], writing: "" };

test("what is being written goes when it is finished, and nothing is told twice", () => {
  let state = hear(BEGIN, { runId: "run_1", frame: { event: "delta", data: { text: "# Les" } } });
  state = hear(state, { runId: "run_1", frame: { event: "delta", data: { text: "son" } } });
  expect(state.writing).toBe("# Lesson");
  const finished = { event: "model_turn", id: "4", data: { type: "model_turn", text: "# Lesson" } };
  state = hear(state, { runId: "run_1", frame: finished });
  state = hear(state, { runId: "run_1", frame: finished });
  expect(state).toMatchObject({ writing: "", events: [{ position: 4 }] });
});

test("another turn begins with nothing", () => {
  const frame = { event: "turn_started", id: "1", data: { type: "turn_started" } };
  const before = { ...BEGIN, writing: "half a sen" };
  expect(hear(before, { runId: "run_2", frame })).toMatchObject({ runId: "run_2", writing: "" });
});
