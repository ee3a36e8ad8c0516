import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { NotebookPen } from "lucide-react";

import { type EntryFilter, entriesQuery } from "@/api/journal";
import type { EntrySummary } from "@/api/schema";
import { Button } from "@/components/Button";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { VirtualList } from "@/components/VirtualList";

import { Outcome, Tier } from "./Outcome";
import { DOMAINS } from "./words";

/** Entries newest first, however many there are. */
export function Timeline({ filter, isFiltered }: { filter: EntryFilter; isFiltered: boolean }) {
  const query = useInfiniteQuery(entriesQuery(filter));
  return (
    <WhenReady query={query} lines={8}>
      {({ pages }) => {
        const entries = pages.flatMap(({ results }) => results);
        if (entries.length === 0) return <Nothing isFiltered={isFiltered} />;
        return (
          <>
            <VirtualList items={entries} label="Entries" keyOf={({ id }) => id}>
              {(entry) => <Row entry={entry} />}
            </VirtualList>
            {query.hasNextPage && (
              <div className="mt-3 text-center">
                <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Show older entries
                </Button>
              </div>
            )}
          </>
        );
      }}
    </WhenReady>
  );
}

function Row({ entry }: { entry: EntrySummary }) {
  return (
    <Link
      to="/journal/entries/$id"
      params={{ id: entry.id }}
      className="flex flex-col gap-1 px-2 py-2.5 hover:bg-sunken sm:flex-row sm:items-center sm:gap-4"
    >
      <span className="min-w-0 grow truncate">{entry.goal}</span>
      <span className="flex shrink-0 items-center gap-2 text-sm text-muted">
        {DOMAINS[entry.domain]}
        <Tier tier={entry.confidence_tier} />
        <Outcome status={entry.outcome_status} />
        <Time at={entry.created_at} />
      </span>
    </Link>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No entry matches.">Remove a filter to see more.</Empty>;
  return (
    <Empty title="Nothing has been predicted yet." icon={<NotebookPen className="size-6" />}>
      Before you try something, write down what you expect. What comes of it becomes an experience that the
      next task can learn from. Agents do the same with <code>start_ghap</code>.
    </Empty>
  );
}
