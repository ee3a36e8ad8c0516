import { act, screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { renderAt, serve } from "@/test/serving";

class Wire {
  static last: Wire;
  sent: { type: string; id: string }[] = [];
  onopen?: () => void;
  onmessage?: (message: { data: string }) => void;

  constructor() {
    Wire.last = this;
  }

  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
}

function hear(type: string, payload: unknown, id?: string) {
  act(() => Wire.last.onmessage!({ data: JSON.stringify({ type, payload, id, timestamp: 1 }) }));
}

const STATS = {
  period: "all",
  sessionsCompleted: 12,
  totalCoachingMinutes: 90,
  issuesWorkedOn: 3,
  knowledgeGapsIdentified: 4,
  knowledgeGapsAddressed: 1,
  hintsUsed: 7,
  apiCostTotal: 0.25,
};

const GAP = {
  id: "g1",
  topic: "Money",
  severity: "high",
  evidence: "Cents were lost.",
  relatedConcepts: [],
  frequency: 2,
  lastEncounteredAt: "2026-05-01T12:00:00Z",
  addressed: false,
};

const ISSUE = {
  number: 4,
  title: "Cents get lost",
  summary: "Look at the sums.",
  labels: ["bug"],
  suitability: "good_fit",
  suitabilityReason: "It is small.",
  estimatedDifficulty: "beginner",
  relevantSkills: [],
  priorityScore: 1,
  priorityFactors: {
    userTagged: false,
    similarToRecentWork: false,
    addressesKnowledgeGap: true,
    teamUrgency: "low",
  },
  learningOpportunities: [],
};

test("each part comes in its own time, and fails for itself", async () => {
  vi.stubGlobal("WebSocket", Wire);
  serve({
    "GET /health": { status: "ok", uptime: 1 },
    "GET /api/coach/dashboard": { dreyfus: [], stats: STATS, inProgressSessions: [], katas: [] },
    "GET /api/coach/dashboard/dreyfus": { skillAreas: [], overallStage: "novice" },
    "GET /api/coach/gaps": [GAP],
  });
  renderAt("/coach/dashboard");
  expect(await screen.findByText("1 h 30 min")).toBeTruthy();
  expect(screen.getByRole("status", { name: "Looking for issues that fit you" })).toBeTruthy();

  act(() => Wire.last.onopen!());
  expect(Wire.last.sent.map(({ type }) => type)).toEqual(["connection:hello", "dashboard:request"]);

  hear("dashboard:materials_error", { error: "The library is closed." });
  expect(screen.getByRole("alert").textContent).toContain("The library is closed.");
  expect(screen.getByRole("status", { name: "Looking for issues that fit you" })).toBeTruthy();

  hear("dashboard:issues", { issues: [ISSUE], offline: true, source: "files" });
  const issues = screen.getByRole("list", { name: "Issues" });
  expect(within(issues).getByText(/It trains something you found hard/)).toBeTruthy();
  expect(within(issues).getByText("bug")).toBeTruthy();

  hear("dashboard:issues_error", { error: "GitHub does not answer." });
  expect(screen.getByText("GitHub does not answer.")).toBeTruthy();
  expect(screen.getByRole("list", { name: "Issues" })).toBeTruthy();
});
