import type { ChangeStatus, ChangeView } from "@/api/schema";
import type { Tone } from "@/components/Badge";

/** The way of a change, with what each state means. */
export const STATES: readonly { status: ChangeStatus; means: string; tone: Tone }[] = [
  { status: "proposing", means: "Waits for you to approve it", tone: "warn" },
  { status: "approved", means: "In the queue, for an agent to claim", tone: "info" },
  { status: "assigned", means: "An agent has claimed it", tone: "info" },
  { status: "in_progress", means: "An agent works on it", tone: "accent" },
  { status: "review", means: "All tasks are ticked: waits for you to confirm", tone: "warn" },
  { status: "applied", means: "Confirmed: waits to be merged into the specs", tone: "good" },
  { status: "archived", means: "Archived", tone: "neutral" },
];

export function stateOf(status: ChangeStatus) {
  return STATES.find((state) => state.status === status)!;
}

export type Step = (typeof STATES)[number] & { place: "behind" | "here" | "next" | "ahead" };

/** Every state, seen from where the change is. A rejected one has skipped all between. */
export function stepsOf({ status, moves, rejection_reason }: ChangeView): Step[] {
  const here = STATES.findIndex((state) => state.status === status);
  return STATES.map((state, index) => {
    if (index === here) return { ...state, place: "here" };
    if (index < here) return { ...state, place: rejection_reason && index > 0 ? "ahead" : "behind" };
    return { ...state, place: moves.includes(state.status) ? "next" : "ahead" };
  });
}

/** Whether its texts may be edited; the server says the same. */
export function isEditable({ status, missing_since }: ChangeView): boolean {
  return status !== "archived" && missing_since === null;
}

/** An agent's session holds it. */
export function isAtWork({ status }: ChangeView): boolean {
  return status === "assigned" || status === "in_progress";
}
