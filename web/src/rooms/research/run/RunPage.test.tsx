import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import type { RunState } from "@/api/schema";
import { Refusal, renderAt, serve } from "@/test/serving";

const RUN: RunState = {
  id: "run_1",
  session_id: "s1",
  status: "paused",
  question: "How long may a shift last?",
  library: "harbour",
  agent: "deep-research",
  depth: null,
  follow_up_of: null,
  waiting_for: {
    kind: "READY",
    text: "Ready.\n\n1. Go on",
    body: "Ready.",
    options: [{ key: "1", label: "Go on" }],
    otherwise: "Or write.",
    key: "4",
  },
  exit_reason: null,
  answer_status: null,
  cost: 0,
  error: null,
  created_at: "2026-01-02T12:00:00Z",
  ended_at: null,
  position: 10,
  state: {},
  stages: [],
  talk: [],
};

const HOUSE = {
  "GET /health": { status: "ok", uptime: 1 },
  "GET /api/research/runs": { runs: [] },
  "GET /api/research/requests": { requests: [] },
  "GET /api/research/sessions/s1": new Refusal(404, "gone"),
  "GET /api/research/vocabulary": { statuses: [], labels: [] },
};

test("a pause is answered once, however often its button is clicked", async () => {
  const asked = serve({
    ...HOUSE,
    "GET /api/research/runs/run_1": RUN,
    "POST /api/research/runs/run_1/messages": { messages: [], run: null },
  });
  renderAt("/research/runs/run_1");
  const goOn = await screen.findByRole("button", { name: "Go on" });
  fireEvent.click(goOn);
  fireEvent.click(goOn);
  await waitFor(() => expect(asked.get("GET /api/research/runs/run_1")?.length).toBe(2));
  expect(asked.get("POST /api/research/runs/run_1/messages")?.map(({ body }) => body)).toEqual([
    { text: "1", wait: false },
  ]);
});

test("words that could not be sent are kept, beside the reason", async () => {
  serve({
    ...HOUSE,
    "GET /api/research/runs/run_1": RUN,
    "POST /api/research/runs/run_1/messages": new Refusal(409, "It is running and waits for no reply."),
  });
  renderAt("/research/runs/run_1");
  const words = await screen.findByLabelText("Or in your own words");
  await userEvent.type(words, "only the standards");
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  expect((await screen.findByRole("alert")).textContent).toContain("waits for no reply");
  expect(words).toHaveProperty("value", "only the standards");
});

test("a run that failed says why and can be asked again", async () => {
  const failed: RunState = {
    ...RUN,
    status: "failed",
    exit_reason: "error",
    waiting_for: null,
    error: { message: "The budget of $0.10 is spent." },
  };
  serve({ ...HOUSE, "GET /api/research/runs/run_1": failed });
  renderAt("/research/runs/run_1");
  expect(await screen.findByText(/The budget of \$0.10 is spent./)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Ask it again" }).getAttribute("href")).toContain(
    "library=harbour",
  );
});
