import { expect, test } from "vitest";

import type { FailureSummary, Run } from "@/api/schema";

import { fromActive, fromFailures, fromRuns, inOrder, type Need } from "./needs";

const PAUSED = {
  id: "run_1",
  kind: "assistant",
  status: "paused",
  input: { input: "a lesson on loops" },
  user_id: "local",
  session_id: "s1",
  queue: null,
  created_at: "2026-05-01T10:00:00Z",
  updated_at: "2026-05-01T11:00:00Z",
  position: 3,
} as const satisfies Run;

test("a paused turn leads to its session, a paused run of another kind to what it did", () => {
  const [turn, other] = fromRuns([
    PAUSED,
    { ...PAUSED, id: "run_2", kind: "library_ingest", session_id: null, input: {} },
  ]);
  expect(turn).toMatchObject({ title: "a lesson on loops", link: { params: { id: "s1" } } });
  expect(other).toMatchObject({ room: "Server", title: "run_2", link: { search: { run: "run_2" } } });
});

test("research is not told twice", () => {
  expect(fromRuns([{ ...PAUSED, kind: "research" }])).toEqual([]);
});

test("a few failing tests are named, many are counted", () => {
  const failures = ["b", "a"].map(
    (name, place) =>
      ({ id: name, test_name: name, first_seen_at: `2026-05-0${2 - place}T10:00:00Z` }) as FailureSummary,
  );
  expect(fromFailures({ failures, total: 2 }).map(({ title }) => title)).toEqual(["b", "a"]);
  const [all, ...others] = fromFailures({ failures, total: 40 });
  expect(all?.title).toContain("40 tests fail");
  expect(all?.since).toBe("2026-05-01T10:00:00Z");
  expect(others).toEqual([]);
});

test("no open prediction needs nobody", () => {
  expect(fromActive({ id: null, has_active: false })).toEqual([]);
});

test("what holds somebody up comes first, then what waits longest", () => {
  const need = (key: string, since: string, isBlocking: boolean) => ({ key, since, isBlocking }) as Need;
  const sorted = inOrder([
    need("new", "2026-05-02T10:00:00Z", false),
    need("old", "2026-05-01T10:00:00Z", false),
    need("blocking", "2026-05-03T10:00:00Z", true),
  ]);
  expect(sorted.map(({ key }) => key)).toEqual(["blocking", "old", "new"]);
});
