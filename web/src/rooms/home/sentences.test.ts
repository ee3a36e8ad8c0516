import { expect, test } from "vitest";

import { sentence, collapseRepeats } from "./sentences";

test.each([
  ["specs.moved", { title: "Add discounts", to_state: "in_progress" }, "“Add discounts” is now in progress"],
  ["errors.reported", { total: 12, failed: 1 }, "A test report came in: 12 tests, 1 failed"],
  ["memory.added", { ids: ["a"] }, "1 memory was kept"],
  ["run.completed", { kind: "something_new" }, "A run (something new) is complete"],
  ["weather.turned_bad", {}, "weather: turned bad"],
])("%s is told in words", (topic, payload, words) => {
  expect(sentence({ topic, payload })).toBe(words);
});

test("the same in a row is said once", () => {
  const event = (id: string, topic: string) => ({
    seq: null,
    id,
    topic,
    project: null,
    session_id: null,
    payload: {},
    created_at: `2026-05-01T10:00:0${id}Z`,
  });
  const told = collapseRepeats([
    event("3", "journal.updated"),
    event("2", "journal.updated"),
    event("1", "journal.started"),
  ]);
  expect(told.map(({ id, times }) => [id, times])).toEqual([
    ["3", 2],
    ["1", 1],
  ]);
});
