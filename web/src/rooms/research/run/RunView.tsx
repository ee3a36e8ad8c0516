import { Link } from "@tanstack/react-router";

import { RESEARCH } from "@/api/research";
import { useRefresh } from "@/api/live";
import type { RunState } from "@/api/schema";
import { Page } from "@/components/Page";
import { Time } from "@/components/Time";
import { money } from "@/lib/words";

import { AnswerSection } from "../answer/AnswerSection";
import { Requests } from "../requests/Requests";
import { Sorting } from "../session/Sorting";
import { isOver, RunBadge } from "../standing";
import { CancelRun } from "./CancelRun";
import { Chain } from "./Chain";
import { Failure } from "./Failure";
import { Left } from "./Left";
import { Pause } from "./Pause";
import { Stages } from "./Stages";
import { Talk } from "./Talk";
import { useRunLive } from "./useRunLive";

/** Characters in the window's title. */
const LONGEST_TITLE = 80;

/** One question: how it is worked on, what it asks, and what it came to. */
export function RunView({ run }: { run: RunState }) {
  const written = useRunLive(run);
  useRefresh(["research.*"], [...RESEARCH, "requests"]);
  const isAnswered = run.status === "completed" && run.exit_reason === "completed";

  return (
    <Page
      title={run.question.slice(0, LONGEST_TITLE)}
      heading={<span className="line-clamp-5 text-xl">{run.question}</span>}
      lead={<Facts run={run} />}
      actions={!isOver(run) && <CancelRun id={run.id} />}
    >
      <div className="space-y-4">
        {run.session_id && <Requests session={run.session_id} />}
        {run.status === "failed" && <Failure run={run} />}
        {run.exit_reason === "breakout" && <Left run={run} />}
        {isAnswered && <AnswerSection run={run} />}
        {run.waiting_for ? (
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <Pause key={run.waiting_for.key} run={run} waiting={run.waiting_for} />
            <Stages run={run} written={written} />
          </div>
        ) : (
          <Stages run={run} written={written} />
        )}
        <Talk run={run} />
        {run.session_id && <Chain run={run} session={run.session_id} />}
        {run.session_id && <Sorting session={run.session_id} />}
      </div>
    </Page>
  );
}

function Facts({ run }: { run: RunState }) {
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
      <span role="status">
        <RunBadge run={run} />
      </span>
      <span>
        in{" "}
        <Link to="/libraries/$name" params={{ name: run.library }} className="text-accent underline">
          {run.library}
        </Link>
      </span>
      {run.depth && <span>{run.depth}</span>}
      <Time at={run.created_at} />
      {run.cost > 0 && <span>costs {money(run.cost)}</span>}
    </p>
  );
}
