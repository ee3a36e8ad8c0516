import { expect, test } from "vitest";

import type { GraphStep, Hop, Hops, ParagraphView } from "@/api/schema";

import { draw, pathInWords } from "./graph";

function paragraph(ref: string): ParagraphView {
  return {
    id: ref,
    ref,
    text: "",
    headings: [],
    start: null,
    document_id: "d",
    document: "D",
    path: "d.md",
    kind: "standard",
  };
}

function step(source_ref: string, target_ref: string, rest: Partial<GraphStep> = {}): GraphStep {
  return { source_ref, target_ref, kind: "cites", weight: 1, backwards: false, score: 0.7, ...rest };
}

function hop(...path: GraphStep[]): Hop {
  const ref = path.at(-1)?.target_ref ?? "";
  return { paragraph: paragraph(ref), score: 0.5, hops: path.length, path };
}

const AROUND: Hops = {
  start: paragraph("1"),
  hops: [
    hop(step("1", "2")),
    hop(step("1", "3", { backwards: true })),
    hop(step("1", "2"), step("2", "4", { kind: "belongs_to" })),
  ],
  cut: false,
  linked: true,
};

test("each ring lies around the start, and every paragraph has its own place", () => {
  const { places } = draw(AROUND);
  const away = Object.fromEntries(places.map(({ ref, x, y }) => [ref, Math.round(Math.hypot(x, y))]));
  expect(away).toEqual({ 1: 0, 2: 100, 3: 100, 4: 200 });
  expect(new Set(places.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`)).size).toBe(4);
});

test("a line points the way of the edge, whichever way it was walked", () => {
  expect(draw(AROUND).lines.map(({ from, to }) => `${from} → ${to}`)).toEqual(["1 → 2", "2 → 4", "3 → 1"]);
});

test("a path is told in words", () => {
  const [, back, far] = AROUND.hops;
  expect(pathInWords(back!.path)).toBe("1 is cited by it");
  expect(pathInWords(far!.path)).toBe("1 cites 2, which is part of it");
});
