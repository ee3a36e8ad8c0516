import { expect, test } from "vitest";

import type { HookView } from "@/api/schema";

import { describe as told } from "./describe";

const event = (some: Partial<HookView>): HookView => ({
  number: 1,
  event: "PostToolUse",
  tool_name: null,
  tool_use_id: null,
  success: null,
  duration_ms: null,
  payload: {},
  created_at: "2026-01-01T00:00:00Z",
  ...some,
});

test("a tool is told with what it was used for", () => {
  const payload = { cwd: "/project", tool_input: { timeout: 5, command: "make test" } };
  expect(told(event({ tool_name: "Bash", payload }))).toEqual({ words: "Used Bash", detail: "make test" });
});

test("an event that is not known keeps its own name", () => {
  expect(told(event({ event: "PreCompact", payload: { reason: "full" } }))).toEqual({
    words: "PreCompact",
    detail: "full",
  });
});

test("a tool whose input is no object is told without a detail", () => {
  expect(told(event({ tool_name: "Odd", payload: { tool_input: "text" } })).detail).toBeUndefined();
});
