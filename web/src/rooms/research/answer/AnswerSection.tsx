import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";

import { answerQuery } from "@/api/research";
import type { AnswerView, ResearchAnswer, RunState } from "@/api/schema";
import { Card } from "@/components/Card";
import { WhenReady } from "@/components/States";
import { classes } from "@/lib/classes";

import { FollowUp } from "../asking/FollowUp";
import { AnswerActions } from "./AnswerActions";
import { AnswerBody } from "./AnswerBody";
import { CitedParagraphPane } from "./CitedParagraphPane";
import { allClaims } from "./claims";
import { Refused } from "./Refused";
import { Scores } from "./Scores";
import { Workings } from "./Workings";

const route = getRouteApi("/research/runs/$id");

/** What a run came to, with whatever it cites a click away, and the next question. */
export function AnswerSection({ run }: { run: RunState }) {
  return (
    <WhenReady query={useQuery(answerQuery(run.id))} lines={6}>
      {(view) => (view.answer ? <Answered run={run} view={view} answer={view.answer} /> : null)}
    </WhenReady>
  );
}

type Props = { run: RunState; view: AnswerView; answer: ResearchAnswer };

function Answered({ run, view, answer }: Props) {
  const { cite, claim } = route.useSearch();
  const quoted = claim === undefined ? undefined : allClaims(answer)[claim]?.text;

  return (
    <div className={classes("grid items-start gap-4", cite && "lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]")}>
      <div className="min-w-0 space-y-4">
        {answer.refusal ? (
          <Refused answer={answer} refusal={answer.refusal} />
        ) : (
          <Found view={view} answer={answer} />
        )}
        <Card title={answer.refusal ? "Ask in other words" : "Ask further"}>
          <FollowUp run={run} />
        </Card>
      </div>
      {cite && <CitedParagraphPane key={cite} answer={answer} reference={cite} quoted={quoted} />}
    </div>
  );
}

function Found({ view, answer }: { view: AnswerView; answer: ResearchAnswer }) {
  return (
    <Card title="Answer" note={<AnswerActions view={view} />}>
      <div className="space-y-5">
        <AnswerBody answer={answer} />
        {answer.is_offline && (
          <p className="text-sm text-muted">
            Made without a model: rules chose sentences of the library, and checked them.
          </p>
        )}
        {answer.verification && <Scores verification={answer.verification} />}
        <Workings answer={answer} />
      </div>
    </Card>
  );
}
