import { expect, test } from "vitest";

import type { ChangeSummary } from "@/api/schema";

import { deltasOf, emptyForm, meeting, newBehaviour, problemsIn, problemsOf, tasksOf } from "./form";

test("tasks are lines, and groups begin with #", () => {
  expect(tasksOf("Begin\n\n# Tests\n- [ ] Try it\n* Again\n# Nothing\n")).toEqual([
    { title: "Work", items: ["Begin"] },
    { title: "Tests", items: ["Try it", "Again"] },
  ]);
});

test("requirements of one capability share a delta, and each knows its place in it", () => {
  const behaviours = [
    { ...newBehaviour("orders"), name: "One" },
    { ...newBehaviour("till"), name: "Two" },
    { ...newBehaviour(" orders "), name: "Three" },
    { ...newBehaviour("orders"), name: "Four", operation: "removed" as const },
  ];
  const { deltas, paths } = deltasOf(behaviours);
  expect(deltas.map(({ capability }) => capability)).toEqual(["orders", "till"]);
  expect(deltas[0]?.added?.map(({ name }) => name)).toEqual(["One", "Three"]);
  expect(deltas[0]?.removed).toEqual(["Four"]);
  expect(paths).toEqual(["deltas.0.added.0", "deltas.1.added.0", "deltas.0.added.1", "deltas.0.removed.0"]);
});

test("what is missing is said at its field", () => {
  const form = { ...emptyForm(), id: "Not Kebab", behaviours: [{ ...newBehaviour("Or ders"), name: "One" }] };
  expect(Object.keys(problemsOf(form)).sort()).toEqual(
    ["deltas.0.added.0.capability", "id", "project_id", "tasks", "title", "what_changes", "why"].sort(),
  );
  expect(problemsOf({ ...form, hasBehaviours: false })).not.toHaveProperty("deltas.0.added.0.capability");
});

test("what the server found wrong in a file is said at the requirement that it names", () => {
  const behaviours = [
    { ...newBehaviour("orders"), name: "One" },
    { ...newBehaviour("orders"), name: "Two" },
  ];
  const details = {
    fields: [{ field: "body.title", problem: "too long" }],
    issues: [
      { level: "WARNING", path: "specs/orders/spec.md", line: 3, message: 'ADDED "Two" should say SHALL' },
      { level: "ERROR", path: "specs/other/spec.md", line: 3, message: 'ADDED "Two" is elsewhere' },
    ],
  };
  expect(problemsIn(details, { ...emptyForm(), behaviours })).toEqual({
    title: "too long",
    "deltas.0.added.1.text": 'ADDED "Two" should say SHALL',
  });
});

test("another change meets a requirement whatever its spelling", () => {
  const other = { id: "add-discounts", touches: ["orders/big discounts"] } as ChangeSummary;
  expect(meeting([other], { ...newBehaviour("orders"), name: " Big  Discounts" })).toEqual([other]);
  expect(meeting([other], { ...newBehaviour("till"), name: "Big Discounts" })).toEqual([]);
});
