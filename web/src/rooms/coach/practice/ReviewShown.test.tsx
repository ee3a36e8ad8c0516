import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";

import type { KataReview } from "@/api/schema";

import { ReviewShown } from "./ReviewShown";

const REVIEW: KataReview = {
  kataId: "k",
  correct: true,
  feedback: "Clean.",
  level: 5,
  passed: false,
  followUp: null,
  dreyfusSignal: "stable",
  unlockedConstraints: [{ title: "No loop", description: "Without `for`.", minLevel: 3 }],
  cases: [
    { name: "splits evenly", passed: true },
    { name: "nobody", passed: false, problem: "expected 0, got 1" },
  ],
  constraints: [
    { title: "Never a float", held: false, problem: "line 3 divides" },
    { title: "Reads well", held: null },
  ],
  ran: true,
};

test("a review says what ran, what was kept to, and what it opens", async () => {
  const takeOn = vi.fn();
  render(<ReviewShown review={REVIEW} chosen={[]} onTakeOn={takeOn} />);
  const tests = screen.getByRole("list", { name: "Tests: 1 of 2 pass" });
  expect(within(tests).getByText("expected 0, got 1")).toBeTruthy();
  const ways = screen.getByRole("list", { name: "Constraints you chose" });
  expect(ways.textContent).toBe("fails: Never a floatline 3 dividesa reader decides: Reads well");
  expect(screen.getByText("for").tagName).toBe("CODE");
  await userEvent.click(screen.getByRole("button", { name: "Take it on: No loop" }));
  expect(takeOn).toHaveBeenCalledWith("No loop");
});
