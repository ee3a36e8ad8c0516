import { expect, test } from "vitest";

import { ago, duration, money, plural } from "./words";

const NOW = Date.parse("2026-05-01T12:00:00Z");

test.each([
  ["2026-05-01T11:59:50Z", "just now"],
  ["2026-05-01T11:58:00Z", "2 min. ago"],
  ["2026-04-30T11:00:00Z", "yesterday"],
])("%s is %s", (at, words) => {
  expect(ago(at, NOW)).toBe(words);
});

test.each([
  [12, "12 ms"],
  [1_500, "1.5 s"],
  [125_000, "2 min 5 s"],
  [7_260_000, "2 h 1 min"],
])("%i ms take %s", (milliseconds, words) => {
  expect(duration(milliseconds)).toBe(words);
});

test("small sums are not rounded away", () => {
  expect(money(0.00042)).toBe("$0.00042");
  expect(money(1.5)).toBe("$1.50");
});

test("one is not many", () => {
  expect(plural(1, "entry", "entries")).toBe("1 entry");
  expect(plural(2_000, "entry", "entries")).toBe("2,000 entries");
});
