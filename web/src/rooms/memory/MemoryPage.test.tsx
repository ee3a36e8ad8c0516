import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import { Refusal, renderAt, serve } from "@/test/serving";

const HOUSE = {
  "GET /health": { status: "ok", uptime: 1 },
  "GET /api/memories/overview": { total: 0, forgotten: 0, projects: [], sessions: [] },
  "GET /api/memories": { items: [], next: null },
};

test("what could not be remembered stays in its form", async () => {
  const asked = serve({ ...HOUSE, "POST /api/memories": new Refusal(422, "That is too much.") });
  renderAt("/memory?add=true");
  await userEvent.type(await screen.findByLabelText("What to remember"), "Deploys on Thursdays");
  await userEvent.type(screen.getByLabelText("Tags"), "ops, , release");
  await userEvent.click(screen.getByRole("button", { name: "Remember" }));

  expect(await screen.findByText("That is too much.")).toBeTruthy();
  expect(asked.get("POST /api/memories")?.[0]?.body).toMatchObject({
    content: "Deploys on Thursdays",
    tags: ["ops", "release"],
    project: null,
  });
  expect((screen.getByLabelText("What to remember") as HTMLTextAreaElement).value).toBe(
    "Deploys on Thursdays",
  );
});

test("the address says what is shown, and what it cannot mean is passed over", async () => {
  const asked = serve(HOUSE);
  renderAt("/memory?q=42&importance=high&scope=global&forgotten=true");
  await screen.findByText("Nothing is forgotten");
  await waitFor(() => expect(asked.get("GET /api/memories")).toHaveLength(1));
  const query = Object.fromEntries(asked.get("GET /api/memories")![0]!.query);
  expect(query).toMatchObject({ query: "42", importance: "high", forgotten: "true" });
  expect(query).not.toHaveProperty("scope");
});

test("nothing is recalled before somebody asks", async () => {
  const asked = serve({
    ...HOUSE,
    "POST /api/memories/recall": {
      items: [],
      tokens: 0,
      budget: 4_000,
      left_out: 0,
      unavailable: ["memories"],
    },
  });
  renderAt("/memory?by=meaning");
  await userEvent.type(await screen.findByRole("searchbox"), "when do we deploy?");
  expect(asked.has("POST /api/memories/recall")).toBe(false);
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByText("No memory comes close")).toBeTruthy();
  expect(screen.getByText(/Could not be searched just now: memories/)).toBeTruthy();
  expect(asked.get("POST /api/memories/recall")?.[0]?.body).toMatchObject({ query: "when do we deploy?" });
});
