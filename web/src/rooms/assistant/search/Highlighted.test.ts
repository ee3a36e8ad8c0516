import { expect, test } from "vitest";

import { split } from "./Highlighted";

test.each([
  ["Iteration and loops", "iteration", ["", "Iteration", " and loops"]],
  ["They iterated twice", "iteration", ["They ", "iterated", " twice"]],
  ["loops, a loop", "loop", ["", "loops", ", a ", "loop", ""]],
  ["a (b) c", "(", ["a (b) c"]],
])("%s has %s", (text, query, pieces) => {
  expect(split(text, query)).toEqual(pieces);
});
