import { expect, test } from "vitest";

import type { SpanView } from "@/api/schema";

import { pretty } from "./Payload";
import { moment, parentOf, seen } from "./spans";

function span(span_id: string, depth: number, at: string, duration_ms: number): SpanView {
  return {
    trace_id: "t",
    span_id,
    parent_id: null,
    depth,
    name: span_id,
    kind: "tool",
    session_id: null,
    run_id: null,
    started_at: `2026-05-01T10:00:00.${at}Z`,
    duration_ms,
    status: "ok",
    attributes: {},
    events: [],
  };
}

const SPANS = [
  span("top", 0, "000000", 4),
  span("child", 1, "001000", 2),
  span("grandchild", 2, "001500", 0.5),
  span("second", 0, "004000", 4),
];

test("bars stand where they belong on one axis, to the microsecond", () => {
  const lines = seen(SPANS, new Set());
  expect(lines.map(({ start }) => Number(start.toFixed(4)))).toEqual([0, 0.125, 0.1875, 0.5]);
  expect(lines.map(({ width }) => Number(width.toFixed(4)))).toEqual([0.5, 0.25, 0.0625, 0.5]);
});

test("a closed step hides all below it and nothing else", () => {
  const lines = seen(SPANS, new Set(["top"]));
  expect(lines.map(({ span: { name } }) => name)).toEqual(["top", "second"]);
  expect(lines[0]).toMatchObject({ hasChildren: true, isOpen: false });
});

test("a step's parent is the nearest above that is less deep", () => {
  const lines = seen(SPANS, new Set());
  expect([2, 1, 0, 3].map((place) => parentOf(lines, place))).toEqual([1, 0, 0, 3]);
});

test("a moment keeps what a date forgets", () => {
  expect(moment("2026-05-01T10:00:00.001500Z") - moment("2026-05-01T10:00:00.001Z")).toBeCloseTo(0.5, 3);
});

test("JSON is made readable, and only JSON", () => {
  expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(pretty("[cut off")).toBe("[cut off");
  expect(pretty("words")).toBe("words");
});
