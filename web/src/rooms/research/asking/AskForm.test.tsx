import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import { Refusal, renderAt, serve } from "@/test/serving";

const HARBOUR = { id: "1", name: "harbour", title: "Harbour standards", root: null, version: 1 };
const HOUSE = {
  "GET /health": { status: "ok", uptime: 1, model: { offline: true } },
  "GET /api/libraries": { libraries: [HARBOUR] },
  "GET /api/libraries/harbour/answerable": { answerable: true, confidence: 1, reasons: [], best: "100.13" },
  "GET /api/research/runs": { runs: [] },
  "GET /api/research/sessions": { sessions: [] },
  "GET /api/research/requests": { requests: [] },
  "GET /api/research/agents": { agents: [] },
  "GET /api/research/vocabulary": { statuses: [], labels: [] },
};

test("a question that is refused stays where it is, with the server's words", async () => {
  const asked = serve({
    ...HOUSE,
    "POST /api/research/runs": new Refusal(409, "The library is being filled."),
  });
  renderAt("/research");
  const question = await screen.findByLabelText("Your question");
  await userEvent.type(question, "How long may a shift last?");
  await userEvent.selectOptions(screen.getByLabelText("Depth"), "deep");
  await userEvent.click(screen.getByRole("button", { name: "Ask" }));

  expect((await screen.findByRole("alert")).textContent).toContain("The library is being filled.");
  expect((question as HTMLTextAreaElement).value).toBe("How long may a shift last?");
  expect(asked.get("POST /api/research/runs")?.[0]?.body).toMatchObject({
    library: "harbour",
    depth: "deep",
    auto_proceed: false,
    budget_usd: null,
  });
});

test("nothing is asked without words", async () => {
  serve(HOUSE);
  renderAt("/research");
  expect(await screen.findByRole("button", { name: "Ask" })).toHaveProperty("disabled", true);
});

test("a link can bring the question with it", async () => {
  serve(HOUSE);
  renderAt("/research?ask=Who%20is%20on%20watch%3F&library=harbour");
  expect(await screen.findByLabelText("Your question")).toHaveProperty("value", "Who is on watch?");
});
