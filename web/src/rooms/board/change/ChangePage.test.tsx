import { configure, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import type { ChangeView } from "@/api/schema";
import { Refusal, renderAt, serve } from "@/test/serving";

// The first page of all loads its modules, on a busy machine.
configure({ asyncUtilTimeout: 5_000 });

const CHANGE: ChangeView = {
  project_id: "p",
  id: "add-discounts",
  title: "Add discounts",
  status: "proposing",
  priority: 3,
  tasks_done: 0,
  tasks_total: 2,
  touches: [],
  references: [],
  sync_error: null,
  missing_since: null,
  archive_name: null,
  rejection_reason: null,
  fingerprint: null,
  assigned_session_id: null,
  assigned_at: null,
  agent_type: null,
  result: null,
  created_at: "2026-01-01T10:00:00Z",
  approved_at: null,
  completed_at: null,
  updated_at: "2026-01-01T10:00:00Z",
  last_synced_at: null,
  filesystem_modified_at: null,
  proposal_content: "# Add discounts\n\n## Why\n\nPeople ask.\n",
  tasks_content: "- [ ] 1.1 One\n- [ ] 1.2 Two\n",
  design_content: null,
  specs: {},
  tasks: [
    { id: "1.1", text: "1.1 One", done: false, group: "", depth: 0, line: 1 },
    { id: "1.2", text: "1.2 Two", done: false, group: "", depth: 0, line: 2 },
  ],
  hashes: { "proposal.md": "h1", "tasks.md": "t1" },
  moves: ["approved", "archived"],
};
const BASE = "/api/board/changes/add-discounts";
const DRAFT = "bottega.draft:p/add-discounts/proposal.md";

function serving(answers: Record<string, unknown>) {
  return serve({
    "GET /health": { status: "ok", uptime: 1 },
    [`GET ${BASE}`]: CHANGE,
    [`GET ${BASE}/validation`]: { valid: true, issues: [], checked_by_openspec: false, note: null },
    [`GET ${BASE}/overlaps`]: { overlaps: [] },
    [`GET ${BASE}/revisions`]: { revisions: [] },
    "GET /api/projects/p": { id: "p", name: "bakery", path: "/bakery", openspec_installed: true, note: null },
    ...answers,
  });
}

test("a tick that the server refuses is taken back, in its words", async () => {
  serving({ [`PUT ${BASE}/tasks`]: new Refusal(409, "The folder is gone.") });
  renderAt("/board/changes/add-discounts?tab=tasks");
  const box = await screen.findByRole("checkbox", { name: "1.1 One" });
  await userEvent.click(box);
  expect(await screen.findByText("The folder is gone.")).toBeTruthy();
  await waitFor(() => expect((box as HTMLInputElement).checked).toBe(false));
  expect(screen.getByText("0 of 2 done (0 %)")).toBeTruthy();
});

test("an unsaved text is there again after a reload, and says that the file has changed", async () => {
  localStorage.setItem(DRAFT, JSON.stringify({ base: "h0", text: "# Mine\n" }));
  const asked = serving({ [`PUT ${BASE}`]: new Refusal(500, "The disk is full.") });
  renderAt("/board/changes/add-discounts");
  expect(await screen.findByText(/was changed by somebody else/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("The disk is full.")).toBeTruthy();
  expect(asked.get(`PUT ${BASE}`)?.[0]?.body).toEqual({
    texts: { "proposal.md": "# Mine\n" },
    base_hashes: { "proposal.md": "h0" },
  });
  expect(JSON.parse(localStorage.getItem(DRAFT) ?? "")).toEqual({ base: "h0", text: "# Mine\n" });
});

test("only what the server allows can be decided, and its refusal is shown", async () => {
  serving({ [`POST ${BASE}/approve`]: new Refusal(422, "It is not valid yet.") });
  renderAt("/board/changes/add-discounts");
  await userEvent.click(await screen.findByRole("button", { name: "Approve" }));
  expect(await screen.findByText("It is not valid yet.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Archive" })).toBeNull();
});

test("the life cycle says where it is and where it may go", async () => {
  serving({ [`GET ${BASE}`]: { ...CHANGE, status: "review", moves: ["approved", "applied"] } });
  renderAt("/board/changes/add-discounts");
  const steps = within(await screen.findByRole("list", { name: "Life cycle" })).getAllByRole("listitem");
  expect(steps.map(({ textContent }) => textContent)).toEqual([
    "proposing(done)",
    "approved(done)",
    "assigned(done)",
    "in progress(done)",
    "review(it is here)",
    "applied(it may go here)",
    "archived",
  ]);
});
