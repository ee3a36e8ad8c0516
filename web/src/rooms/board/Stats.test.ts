import { expect, test } from "vitest";

import { range } from "./Stats";

test("how many agents would be kept busy, in as few signs as possible", () => {
  expect(range({ least: 0, most: 0 })).toBe("0");
  expect(range({ least: 2, most: 3 })).toBe("2–3");
  expect(range({ least: 4, most: null })).toBe("4+");
});
