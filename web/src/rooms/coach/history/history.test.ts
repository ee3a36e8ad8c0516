import { expect, test } from "vitest";

import { forThePage } from "./SessionPage";
import { sinceStart } from "./Timeline";

test.each([
  [4_200, "+0:04"],
  [65_000, "+1:05"],
  [3_849_000, "+1:04:09"],
  [-20, "+0:00"],
])("%i ms after the start are %s", (milliseconds, words) => {
  expect(sinceStart(milliseconds)).toBe(words);
});

test("a report leaves its title to the page, and every phase is a box", () => {
  const report = "# #1 Cents\n\n- Session `x`\n\n## Phases\n\n- [~] **1. Look**\n- [x] **2. Do**\n";
  expect(forThePage(report)).toBe(
    "- Session `x`\n\n## Phases\n\n- [ ] **1. Look** (under way)\n- [x] **2. Do**\n",
  );
});
