import { expect, test } from "vitest";

import type { TurnEvent } from "@/api/assistant";

import { draftOf, markOf, piecesOf, withPlainPointers } from "./document";

const ITEMS = [
  { id: "starter", title: "Starter" },
  { id: "plenary", title: "Plenary" },
];
const JUDGED = {
  type: "gate",
  gate: {
    kind: "adjudication",
    text: "",
    items: ITEMS,
    options: [],
    default: "accept",
    data: { artefact: "# B" },
  },
};

function told(...events: object[]): TurnEvent[] {
  return events.map((event, place) => ({ position: place, at: "", ...event }) as TurnEvent);
}

test("the document is what was judged last, not what a helper wrote", () => {
  const events = told(
    { type: "model_turn", text: "# A" },
    { type: "subagent", state: "started" },
    { type: "model_turn", text: "# A worksheet" },
    { type: "subagent", state: "ended" },
  );
  expect(draftOf(events, "old").text).toBe("# A");
  expect(draftOf([...events, ...told(JUDGED)], "old").text).toBe("# B");
  expect(draftOf([], "old").text).toBe("old");
});

test("sections are marked by what was decided about each of them", () => {
  const reply = { decision: "accept", items: [{ id: "starter", decision: "revise", text: "shorter" }] };
  const { marks } = draftOf(told(JUDGED, { type: "gate_answered", kind: "adjudication", reply }), "");
  expect(markOf(marks, "Starter (5 minutes)")).toBe("to change");
  expect(markOf(marks, "Plenary")).toBe("accepted");
  expect(markOf(marks, "Homework")).toBeNull();
});

test("headings within code divide nothing", () => {
  const pieces = piecesOf("Before\n\n# One\n\n```\n# no heading\n```\n\n## Two\nText");
  expect(pieces.map(({ heading }) => heading)).toEqual([null, "One", "Two"]);
});

test("a pointer is read as a place", () => {
  expect(withPlainPointers('Yes. [evidence: curriculum/a.md:L3-L4 "words"]')).toBe(
    "Yes. *(curriculum/a.md, lines 3 to 4)*",
  );
});
