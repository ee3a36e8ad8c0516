import type { KataReview } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Markdown } from "@/components/Markdown";
import { Notice } from "@/components/States";

import { Outcomes } from "./Outcomes";
import { WithCode } from "./WithCode";

const SIGNALS: Record<KataReview["dreyfusSignal"], string> = {
  advancing: "You are getting further.",
  stable: "You hold your level.",
  struggling: "This one is hard for you just now; take a smaller step.",
};

type Props = { review: KataReview; chosen: readonly string[]; onTakeOn: (title: string) => void };

export function ReviewShown({ review, chosen, onTakeOn }: Props) {
  const { cases = [], constraints = [] } = review;
  const passed = cases.filter((each) => each.passed).length;
  return (
    <Card
      title="Review"
      note={
        <span className="flex items-center gap-2">
          <Badge tone={review.passed ? "good" : "warn"}>{review.passed ? "Passed" : "Not yet"}</Badge>
          Level {review.level} of 10
        </span>
      }
    >
      <div role="status" className="space-y-4">
        <Markdown text={review.feedback} />
        {cases.length > 0 && (
          <Outcomes
            title={`Tests: ${passed} of ${cases.length} pass`}
            outcomes={cases.map((each) => ({ ...each, isGood: each.passed }))}
          />
        )}
        {constraints.length > 0 && (
          <Outcomes
            title="Constraints you chose"
            outcomes={constraints.map(({ title, held, problem }) => ({
              name: title,
              isGood: held,
              problem,
            }))}
          />
        )}
        {review.unlockedConstraints.length > 0 && (
          <Unlocked constraints={review.unlockedConstraints} chosen={chosen} onTakeOn={onTakeOn} />
        )}
        <Next review={review} />
      </div>
    </Card>
  );
}

type UnlockedProps = {
  constraints: KataReview["unlockedConstraints"];
  chosen: readonly string[];
  onTakeOn: (title: string) => void;
};

function Unlocked({ constraints, chosen, onTakeOn }: UnlockedProps) {
  return (
    <Notice tone="good">
      <h3 className="font-semibold">Unlocked</h3>
      <ul className="mt-2 space-y-2">
        {constraints.map(({ title, description }) => {
          const isTakenOn = chosen.includes(title);
          const words = isTakenOn ? "Taken on" : "Take it on";
          return (
            <li key={title} className="flex items-center justify-between gap-3">
              <span className="min-w-0">
                <strong>{title}</strong>: <WithCode text={description} />
              </span>
              <Button
                className="text-ink"
                disabled={isTakenOn}
                onClick={() => onTakeOn(title)}
                aria-label={`${words}: ${title}`}
              >
                {words}
              </Button>
            </li>
          );
        })}
      </ul>
    </Notice>
  );
}

function Next({ review: { followUp, dreyfusSignal, ran } }: { review: KataReview }) {
  return (
    <div className="space-y-1 text-sm">
      {followUp && (
        <p>
          <strong>Next:</strong>{" "}
          <WithCode text={[followUp.reason, followUp.constraint].filter(Boolean).join(" ")} />
        </p>
      )}
      <p className="text-muted">
        {SIGNALS[dreyfusSignal]}
        {!ran && " The code was read and not run: this machine has nothing to isolate it with."}
      </p>
    </div>
  );
}
