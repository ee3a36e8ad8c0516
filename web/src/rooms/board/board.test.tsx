import { configure, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";

import type { BoardStats, ProjectView, WorkItem } from "@/api/schema";
import { Refusal, renderAt, serve } from "@/test/serving";

const project: ProjectView = {
  id: "bakery",
  name: "bakery",
  path: "/bakery",
  openspec_path: "/bakery/openspec",
  has_active_changes: true,
  spec_count: 1,
  scanned_at: "2026-01-01T00:00:00Z",
  missing_since: null,
};

const stats: BoardStats = {
  changes: { proposing: 1 },
  failures: {},
  failing: 0,
  green: 0,
  queue_depth: 0,
  active_sessions: 0,
  waiting_for_approval: 1,
  waiting_for_review: 0,
  projects: [],
};

const item: WorkItem = {
  kind: "change",
  project_id: "bakery",
  id: "add-discounts",
  title: "Add discounts",
  status: "proposing",
  priority: 3,
  classification: null,
  change_id: null,
  tasks_done: 0,
  tasks_total: 3,
  assigned_session_id: null,
  created_at: "2026-01-01T00:00:00Z",
  active_at: "2026-01-01T00:00:00Z",
};

const question = {
  id: "q1",
  session_id: "s1",
  project_id: "bakery",
  change_id: null,
  question: "Round up or down?",
  options: ["Up", "Down"],
  blocking: true,
  answer: null,
  answered_by: null,
  created_at: "2026-01-01T00:00:00Z",
  answered_at: null,
};

const board = {
  "GET /health": { status: "ok", uptime: 1 },
  "GET /api/projects": { projects: [project] },
  "GET /api/board/stats": stats,
  "GET /api/board/clarifications": { clarifications: [] },
  "GET /api/board/changes": { changes: [], total: 0 },
  "GET /api/board/work": { items: [item], total: 1 },
  "GET /api/board/sessions": { sessions: [] },
};

// A page is loaded when it is first needed, which takes a while on a busy machine.
configure({ asyncUtilTimeout: 10_000 });
vi.setConfig({ testTimeout: 30_000 });

beforeEach(() => {
  sessionStorage.clear();
  // Nothing has a size without a browser, and a list shows only what is in sight.
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(800);
});

test("filters in the address are asked of the server, and cleared with one button", async () => {
  const asked = serve(board);
  const { router } = renderAt("/board?status=proposing.new&search=discounts&since=2026-02-01");
  await screen.findByRole("link", { name: "Add discounts" });
  const query = asked.get("GET /api/board/work")?.at(-1)?.query;
  expect(query?.getAll("status")).toEqual(["proposing", "new"]);
  expect(query?.get("search")).toBe("discounts");
  expect(query?.get("since")).toMatch(/^2026-0(1-31|2-01)T/);

  await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
  await waitFor(() => expect(router.state.location.searchStr).toBe(""));
});

test("what the server refuses is shown in its words, with a way to try again", async () => {
  serve({ ...board, "GET /api/board/work": new Refusal(503, "The database is locked.") });
  renderAt("/board");
  const alert = await screen.findByRole("alert");
  expect(within(alert).getByText("The database is locked.")).toBeTruthy();
  serve(board);
  await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
  await screen.findByRole("link", { name: "Add discounts" });
});

test("an answer that is refused is not lost", async () => {
  serve({
    ...board,
    "GET /api/board/clarifications": { clarifications: [question] },
    "POST /api/board/clarifications/q1/answer": new Refusal(409, "The session has ended."),
  });
  renderAt("/board/approvals");
  const own = await screen.findByLabelText("Or in your own words");
  await userEvent.type(own, "Half to even");
  await userEvent.click(screen.getByRole("button", { name: "Answer" }));
  await screen.findByText("The session has ended.");
  expect((own as HTMLTextAreaElement).value).toBe("Half to even");
});
