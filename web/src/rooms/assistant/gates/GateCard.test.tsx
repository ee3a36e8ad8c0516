import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import type { Gate, GateItem, GateKind } from "@/api/schema";
import { Refusal, renderAlone, serve } from "@/test/serving";

import { GateCard } from "./GateCard";

const REPLY = "POST /api/assistant/sessions/s1/reply";

function gate(kind: GateKind, fallback: string, options: string[], items: GateItem[]): Gate {
  return { kind, text: "", options, default: fallback, items, data: {} };
}

const DRAFT = gate(
  "adjudication",
  "accept",
  ["accept", "revise", "alternatives"],
  ["Goals", "Starter", "Plenary"].map((title) => ({
    id: title.toLowerCase(),
    title,
    options: ["accept", "revise", "alternatives"],
    default: "accept",
  })),
);

const NOTES = gate(
  "memory_capture",
  "dismiss",
  ["confirm", "dismiss"],
  ["Short starters.", "Pairs."].map((title, place) => ({
    id: `p${place}`,
    title,
    scope: "class:3B",
    options: ["confirm", "edit", "dismiss"],
    default: "dismiss",
  })),
);

function show(asked: Gate) {
  return renderAlone(<GateCard sessionId="s1" gate={asked} draftKey="gate.run.1" />);
}

test("sections are decided one by one, by keyboard; what is not named is accepted", async () => {
  const asked = serve({ [REPLY]: {} });
  show(DRAFT);
  screen.getByRole("radiogroup", { name: "Starter" }).querySelector("input")?.focus();
  await userEvent.keyboard("{ArrowRight}");
  expect(screen.getByRole("button", { name: "Revise 1, accept 2" })).toHaveProperty("disabled", true);
  await userEvent.type(screen.getByLabelText(/What should change\? Starter/), "five minutes");
  await userEvent.click(screen.getByRole("button", { name: "Revise 1, accept 2" }));
  await waitFor(() =>
    expect(asked.get(REPLY)?.[0]?.body).toEqual({
      decision: "accept",
      items: [{ id: "starter", decision: "revise", text: "five minutes" }],
    }),
  );
});

test("nothing chosen is nothing remembered", async () => {
  const asked = serve({ [REPLY]: {} });
  show(NOTES);
  await userEvent.click(screen.getByRole("button", { name: "Remember nothing" }));
  await waitFor(() => expect(asked.get(REPLY)?.[0]?.body).toEqual({ decision: "dismiss", items: [] }));
});

test("a refusal keeps what was written, also for who comes back later", async () => {
  serve({ [REPLY]: new Refusal(409, "The turn asks nothing.") });
  const { unmount } = show(NOTES);
  const [reword] = screen.getAllByRole("radio", { name: "Reword" });
  await userEvent.click(reword!);
  const field = screen.getByLabelText(/How should it read\?/);
  expect(field).toHaveProperty("value", "Short starters.");
  await userEvent.type(field, " Always.");
  await userEvent.click(screen.getByRole("button", { name: "Remember 1 note" }));
  expect((await screen.findByRole("alert")).textContent).toContain("The turn asks nothing.");
  unmount();
  show(NOTES);
  expect(screen.getByLabelText(/How should it read\?/)).toHaveProperty("value", "Short starters. Always.");
});

test("two clicks are one answer", async () => {
  const asked = serve({ [REPLY]: {} });
  show(gate("permission", "deny", ["allow", "always", "deny"], []));
  await userEvent.dblClick(screen.getByRole("button", { name: "Allow once" }));
  await waitFor(() =>
    expect(asked.get(REPLY)).toEqual([expect.objectContaining({ body: { decision: "allow" } })]),
  );
});
