import { expect, test } from "vitest";

import { coachSearch, placeIn } from "./places";

const isFile = (path: string) => path === "src/trip.py";

test.each([
  ["src/trip.py:12: a TODO is left.", { path: "src/trip.py", line: 12, text: "a TODO is left." }],
  [
    "src/trip.py: a good place to start.",
    { path: "src/trip.py", line: undefined, text: "a good place to start." },
  ],
  ["`src/trip.py`:3: why?", { path: "src/trip.py", line: 3, text: "why?" }],
  ["Note: src/trip.py is long.", undefined],
  ["other.py:1: not in this project", undefined],
])("%s", (finding, place) => {
  expect(placeIn(finding, isFile)).toEqual(place);
});

test("an address that makes no sense is read as none", () => {
  expect(coachSearch({ file: 3, line: "x", pane: "attic" })).toEqual({});
  expect(coachSearch({ file: "a.py", line: 4, pane: "editor" })).toEqual({
    file: "a.py",
    line: 4,
    pane: "editor",
  });
});
