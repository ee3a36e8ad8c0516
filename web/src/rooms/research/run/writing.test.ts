import { expect, test } from "vitest";

import { readableLines } from "./writing";

test("text is readable while its JSON is still being written", () => {
  const written = '{"title": "The watch", "summary": [{"text": "A shift lasts \\"eight\\" ho';
  expect(readableLines(written)).toEqual(["The watch", 'A shift lasts "eight" ho']);
});

test("a piece that ends within an escape loses only that", () => {
  expect(readableLines('{"text": "Caf\\u00')).toEqual(["Caf"]);
  expect(readableLines('{"text": "line\\')).toEqual(["line"]);
});

test("references, numbers and keys are not for people", () => {
  expect(readableLines('{"clarity_score": 0.9, "citations": ["100.13"]')).toEqual([]);
});

test("prose is shown as it is", () => {
  expect(readableLines("The watch listens")).toEqual(["The watch listens"]);
});
