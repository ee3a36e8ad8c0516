import type { ResearchRunView } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";

type Standing = { word: string; tone: Tone; about: string };

const BY_STATUS: Record<ResearchRunView["status"], Standing> = {
  queued: { word: "Waiting to start", tone: "neutral", about: "It starts as soon as there is room." },
  running: { word: "Working", tone: "info", about: "It goes on by itself." },
  paused: { word: "Needs you", tone: "warn", about: "It waits for your reply." },
  completed: { word: "Done", tone: "good", about: "It has ended." },
  failed: { word: "Failed", tone: "bad", about: "It had to stop; what it had found is kept." },
  cancelled: { word: "Cancelled", tone: "neutral", about: "It was stopped; what it had found is kept." },
};

const BY_ANSWER: Record<NonNullable<ResearchRunView["answer_status"]>, Standing> = {
  verified: { word: "Verified", tone: "good", about: "Every sentence was checked against its source." },
  unverified: {
    word: "Not fully verified",
    tone: "warn",
    about: "A check was missed; the answer says which.",
  },
  refused: {
    word: "No answer",
    tone: "neutral",
    about: "The library does not hold one, so none is made up.",
  },
};

const LEFT: Standing = { word: "Left", tone: "neutral", about: "You left it for something else." };

type Shown = Pick<ResearchRunView, "status" | "exit_reason" | "answer_status">;

/** Where a run stands, in a word. */
export function standingOf(run: Shown): Standing {
  if (run.exit_reason === "breakout") return LEFT;
  return run.answer_status ? BY_ANSWER[run.answer_status] : BY_STATUS[run.status];
}

export function isOver(run: Pick<ResearchRunView, "status">): boolean {
  return run.status === "completed" || run.status === "failed" || run.status === "cancelled";
}

export function RunBadge({ run }: { run: Shown }) {
  const { word, tone, about } = standingOf(run);
  return (
    <Badge tone={tone} title={about}>
      {word}
    </Badge>
  );
}
