import { expect, test } from "vitest";

import { reads, statusesOf } from "./search";

const read = reads("project", "status", "since", "show");

test("an address gives the filters that make sense, and only those of the page", () => {
  const raw = { status: "approved.nonsense.fixed", since: "2026-02-01", show: "open", tier: "global" };
  expect(read(raw)).toEqual({ status: "approved.fixed", since: "2026-02-01", show: "open" });
});

test("nonsense in an address is no filter", () => {
  expect(read({ status: "nonsense", since: "yesterday", show: "all", project: "" })).toEqual({});
});

test("a search for a number stays a search", () => {
  expect(reads("search")({ search: 404 })).toEqual({ search: "404" });
});

test("statuses are several, or none", () => {
  expect(statusesOf({ status: "approved.review" })).toEqual(["approved", "review"]);
  expect(statusesOf({})).toEqual([]);
});
