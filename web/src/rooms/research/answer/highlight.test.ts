import { expect, test } from "vitest";

import { highlighted } from "./highlight";

const PARAGRAPH = "The watch has a log. A shift shall not be longer than eight hours. Reliefs are named.";

function marked(claim: string): string[] {
  return highlighted(PARAGRAPH, claim)
    .filter((piece) => piece.isQuoted)
    .map((piece) => piece.text.trim());
}

test("what is quoted word for word is marked, and nothing else", () => {
  expect(marked("A shift shall not be longer than eight hours.")).toEqual([
    "A shift shall not be longer than eight hours.",
  ]);
});

test("what is said in other words marks the sentence it rests on", () => {
  expect(marked("Shifts end early: a shift shall last eight hours, not longer.")).toEqual([
    "A shift shall not be longer than eight hours.",
  ]);
});

test("a claim that shares nothing marks nothing, and the paragraph stays whole", () => {
  expect(marked("Dues are paid in advance.")).toEqual([]);
  const whole = highlighted(PARAGRAPH, "Dues are paid in advance.");
  expect(whole.map((piece) => piece.text).join("")).toBe(PARAGRAPH);
});
