import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";

import { Refusal, renderAlone, serve } from "@/test/serving";

import { PlanForm } from "./PlanForm";

afterEach(() => sessionStorage.clear());

const plan = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Your plan" });

test("a drafted plan can be changed and is handed in as it reads then", async () => {
  const asked = serve({
    "POST /api/coach/plan/draft": { planText: "1. Read.", offline: true },
    "POST /api/coach/plan": {},
  });
  renderAlone(<PlanForm session="s1" />);
  await userEvent.click(screen.getByRole("button", { name: "Draft a plan for me" }));
  await screen.findByText(/Drafted without a model/);
  await userEvent.type(plan(), " Then write.");
  await userEvent.click(screen.getByRole("button", { name: "Use this plan" }));
  expect(asked.get("POST /api/coach/plan")?.[0]?.body).toEqual({ planText: "1. Read. Then write." });
});

test("a plan that is refused stays, also over a reload", async () => {
  serve({ "POST /api/coach/plan": new Refusal(409, "No active session.") });
  const { unmount } = renderAlone(<PlanForm session="s1" />);
  await userEvent.type(plan(), "1. Mine.");
  await userEvent.click(screen.getByRole("button", { name: "Use this plan" }));
  await screen.findByText("No active session.");
  expect(plan().value).toBe("1. Mine.");
  unmount();
  renderAlone(<PlanForm session="s1" />);
  expect(plan().value).toBe("1. Mine.");
});
