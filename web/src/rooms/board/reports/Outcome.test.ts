import { expect, test } from "vitest";

import type { ImportResult } from "@/api/schema";

import { sentences } from "./Outcome";

const nothing: Omit<ImportResult, "report"> = {
  new_failures: 0,
  proposed: [],
  updated: [],
  held_back: 0,
  waiting: 0,
  green: [],
  reopened: [],
  notes: [],
};
const report = {} as ImportResult["report"];

test("a report says what it brought, and leaves out what it did not", () => {
  const green = [{ failure_id: "1", test_name: "adds up", change_id: null }];
  expect(sentences({ ...nothing, report, new_failures: 2, waiting: 1, green })).toEqual([
    "2 failures not met before.",
    "1 failure will be proposed if met again.",
    "Green again: adds up.",
  ]);
});

test("a report that changes nothing says so", () => {
  expect(sentences({ ...nothing, report })).toEqual(["Nothing changed on the board."]);
});
