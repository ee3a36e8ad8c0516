import { screen } from "@testing-library/react";
import { expect, test } from "vitest";

import type { AgentDetail, ResearchRunView } from "@/api/schema";
import { renderAt, serve } from "@/test/serving";

import { atPlace } from "./Problems";

const AGENT: AgentDetail = {
  slug: "tides",
  name: "Tides",
  description: "",
  origin: "own",
  sources: [],
  problems: [],
  folder: "/data/agents/tides",
  library: null,
  instructions: "",
  config: null,
  prompts: {},
};

function run(id: string, agent: string, rest: Partial<ResearchRunView>): ResearchRunView {
  return {
    id,
    agent,
    session_id: null,
    status: "running",
    question: `Question ${id}`,
    library: "harbour",
    depth: null,
    follow_up_of: null,
    waiting_for: null,
    exit_reason: null,
    answer_status: null,
    cost: 0,
    error: null,
    created_at: "2026-01-01T00:00:00Z",
    ended_at: null,
    position: 1,
    ...rest,
  };
}

test("an agent's page has its own runs only, each with its own state", async () => {
  serve({
    "GET /health": { status: "ok", uptime: 1 },
    "GET /api/research/agents/tides": AGENT,
    "GET /api/research/runs": {
      runs: [
        run("one", "tides", { status: "paused" }),
        run("two", "tides", { status: "failed", error: { message: "The tide is out." } }),
        run("three", "deep-research", {}),
      ],
    },
  });
  renderAt("/agents/tides");
  const first = (await screen.findByText("Question one")).closest("li");
  expect(first?.textContent).toContain("needs you");
  expect(first?.textContent).not.toContain("The tide is out.");
  expect(screen.getByText("Question two").closest("li")?.textContent).toContain("The tide is out.");
  expect(screen.queryByText("Question three")).toBeNull();
});

test.each([
  ["AGENT.md:4:1: unknown key", { place: "AGENT.md:4:1", message: "unknown key" }],
  ["3:12: missing key 'name': what it is", { place: "3:12", message: "missing key 'name': what it is" }],
  ["cannot be read", { place: "", message: "cannot be read" }],
])("the place of %s is told from the message", (problem, expected) => {
  expect(atPlace(problem)).toEqual(expected);
});
