import { expect, test } from "vitest";

import { inWords } from "./calibration";
import { asJsonLines, readJsonLines } from "./jsonLines";

const bin = (said: number, confirmed: number, count: number) => ({
  from_confidence: said,
  to_confidence: said + 0.1,
  mean_confidence: said,
  confirmed,
  count,
});

test("calibration is told in words", () => {
  expect(inWords([bin(0.9, 0.5, 10)])).toContain("surer than things turned out");
  expect(inWords([bin(0.2, 0.5, 10), bin(0.9, 0.6, 10)])).toContain("well calibrated");
});

test("an exported journal is read again, and a broken line is named", () => {
  const lines = [{ kind: "value", text: "a\nb" }];
  expect(readJsonLines(asJsonLines(lines))).toEqual(lines);
  expect(() => readJsonLines('{"a": 1}\n\n{"b"')).toThrow("Line 3");
});
