import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { CircleCheckBig } from "lucide-react";
import type { ReactNode } from "react";

import { changesQuery, questionsQuery } from "@/api/board";
import { Empty, Loading, Problem } from "@/components/States";
import { count } from "@/lib/words";

import { BoardPage } from "../BoardPage";
import { Filters } from "../Filters";
import { ScrolledRows } from "../ScrolledRows";
import { useBoardSearch } from "../search";
import { ProposalCard } from "./ProposalCard";
import { QuestionCard } from "./QuestionCard";
import { ReviewCard } from "./ReviewCard";

/** Everything that waits for a person. */
export function ApprovalsPage() {
  return (
    <BoardPage title="Approvals">
      <Filters names={["project"]} />
      <Waiting />
    </BoardPage>
  );
}

function Waiting() {
  const [{ project }] = useBoardSearch();
  const questions = useQuery(questionsQuery(project));
  const proposals = useQuery(changesQuery("proposing", project));
  const reviews = useQuery(changesQuery("review", project));
  if ([questions, proposals, reviews].every(({ data }) => data?.length === 0)) return <NothingWaits />;
  return (
    <div className="space-y-8">
      <Section title="Questions from agents" query={questions} height={260}>
        {(question) => <QuestionCard question={question} />}
      </Section>
      <Section title="Work to confirm" query={reviews} height={260}>
        {(change) => <ReviewCard change={change} />}
      </Section>
      <Section title="Proposals to decide on" query={proposals} height={340}>
        {(change) => <ProposalCard change={change} />}
      </Section>
    </div>
  );
}

type SectionProps<T> = {
  title: string;
  query: UseQueryResult<T[]>;
  height: number;
  children: (item: T) => ReactNode;
};

function Section<T extends { id: string; project_id: string | null }>(props: SectionProps<T>) {
  const { title, query, height, children } = props;
  const items = query.data;
  if (query.error && !items) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (!items) return <Loading />;
  if (items.length === 0) return null;
  return (
    <section>
      <h2 className="mb-2 font-semibold">
        {title} <span className="font-normal text-muted">{count(items.length)}</span>
      </h2>
      <ScrolledRows
        count={items.length}
        label={title}
        rowHeight={height}
        rowClass="pb-3"
        keyOf={(index) => `${items[index]?.project_id} ${items[index]?.id}`}
      >
        {(index) => children(items[index] as T)}
      </ScrolledRows>
    </section>
  );
}

function NothingWaits() {
  return (
    <Empty title="Nothing needs you" icon={<CircleCheckBig className="size-6" />}>
      Proposals to approve, finished work to confirm and agents' questions come here by themselves.
    </Empty>
  );
}
