import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { ExperienceView } from "@/api/schema";

import { Outcome, Tier } from "./Outcome";

/** An experience in a few lines: what was wanted, what came of it, what worked. */
export function Experience({ experience, note }: { experience: ExperienceView; note?: ReactNode }) {
  const { id, goal, outcome_status: status, outcome_result: result, lesson, surprise } = experience;
  return (
    <article>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <p className="min-w-0">
          <Link to="/journal/entries/$id" params={{ id }} className="font-medium hover:underline">
            {goal}
          </Link>
        </p>
        <span className="flex shrink-0 items-center gap-2 text-sm text-muted">
          {note}
          <Tier tier={experience.confidence_tier} />
          <Outcome status={status} />
        </span>
      </div>
      <p className="text-sm">{surprise ?? result}</p>
      {lesson && <p className="text-sm text-muted">Worked: {lesson.what_worked}</p>}
    </article>
  );
}
