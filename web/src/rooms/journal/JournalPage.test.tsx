import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import { Refusal, renderAt, serve } from "@/test/serving";

const ENTRY = {
  id: "ghap_20260301_142530_a1b2c3",
  domain: "testing",
  strategy: "read-the-error",
  goal: "Make the suite green",
  hypothesis: "The clock is wrong",
  action: "Freeze it",
  prediction: "All pass",
  iteration_count: 1,
  created_at: "2026-03-01T14:25:30Z",
  has_active: true,
};

function house(active: unknown, more: Record<string, unknown> = {}) {
  return serve({
    "GET /health": { status: "ok", uptime: 1 },
    "GET /api/journal/active": active,
    "GET /api/journal/orphans": { results: [], count: 0 },
    "GET /api/journal/entries": { results: [], count: 0, next: null },
    ...more,
  });
}

test("a refused resolution keeps every word, also over a reload", async () => {
  house(ENTRY, { "POST /api/journal/active/resolve": new Refusal(422, "body.surprise: say what was") });
  const { unmount } = renderAt("/journal");
  await userEvent.click(await screen.findByRole("button", { name: "Say what happened" }));
  await userEvent.click(screen.getByRole("radio", { name: "turned out wrong" }));
  await userEvent.type(screen.getByLabelText("What happened"), "Two failed still");
  await userEvent.type(screen.getByLabelText("What was surprising"), "The clock was right");
  await userEvent.type(screen.getByLabelText("In a sentence"), "It was a fixture");
  await userEvent.click(screen.getByRole("button", { name: "Keep it" }));
  expect((await screen.findByRole("alert")).textContent).toContain("say what was");
  unmount();

  renderAt("/journal");
  await userEvent.click(await screen.findByRole("button", { name: "Say what happened" }));
  expect(screen.getByLabelText<HTMLTextAreaElement>("What happened").value).toBe("Two failed still");
});

test("only what belongs to an outcome is sent", async () => {
  const asked = house(ENTRY, {
    "POST /api/journal/active/resolve": { confidence_tier: "silver", id: ENTRY.id },
  });
  renderAt("/journal");
  await userEvent.click(await screen.findByRole("button", { name: "Say what happened" }));
  await userEvent.click(screen.getByRole("radio", { name: "turned out wrong" }));
  await userEvent.type(screen.getByLabelText("What was surprising"), "Nothing after all");
  await userEvent.click(screen.getByRole("radio", { name: "came true" }));
  await userEvent.type(screen.getByLabelText("What happened"), "All passed");
  await userEvent.click(screen.getByRole("button", { name: "Keep it" }));
  await screen.findByText(/Kept as an experience/);
  expect(asked.get("POST /api/journal/active/resolve")?.[0]?.body).toEqual({
    status: "confirmed",
    result: "All passed",
    surprise: null,
    root_cause: null,
    lesson: null,
  });
});

test("an empty journal says what it is for; a filtered one what to take away", async () => {
  house({ has_active: false });
  renderAt("/journal");
  expect(await screen.findByText("Nothing has been predicted yet.")).toBeTruthy();
  await userEvent.selectOptions(screen.getByLabelText("Outcome"), "falsified");
  expect(await screen.findByText("No entry matches.")).toBeTruthy();
});
