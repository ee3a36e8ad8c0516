import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Brain } from "lucide-react";
import { useEffect } from "react";

import { memoriesQuery, overviewQuery } from "@/api/memories";
import type { MemoryView } from "@/api/schema";
import { Button } from "@/components/Button";
import { CopyLine } from "@/components/CopyLine";
import { Empty, Loading, Problem, WhenReady } from "@/components/States";
import { VirtualList } from "@/components/VirtualList";

import { asFilter, isNarrowed } from "./filters";
import { MemoryEditor } from "./MemoryEditor";
import { MemoryRow } from "./MemoryRow";
import { useMemorySearch } from "./useMemorySearch";

/** All that fit the filters; the next page is asked for when the end of this one comes near. */
export function MemoryList() {
  const { search, change } = useMemorySearch();
  const memories = useInfiniteQuery(memoriesQuery(asFilter(search)));
  const sessions = useQuery(overviewQuery).data?.sessions;

  return (
    <WhenReady query={memories} lines={8}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length === 0) return <None />;
        return (
          <div className="rounded-lg border bg-surface">
            <VirtualList
              items={items}
              label={search.forgotten ? "Forgotten memories" : "Memories"}
              rowHeight={92}
              keyOf={({ id }) => id}
            >
              {(memory: MemoryView, index) => (
                <>
                  {memory.id === search.edit ? (
                    <MemoryEditor id={memory.id} onClose={() => change({ edit: undefined })} />
                  ) : (
                    <MemoryRow
                      memory={memory}
                      from={sessions?.find(({ session_id }) => session_id === memory.session_id)}
                    />
                  )}
                  {index === items.length - 1 && memories.hasNextPage && (
                    <NextPage onSeen={() => !memories.isFetching && void memories.fetchNextPage()} />
                  )}
                </>
              )}
            </VirtualList>
            {memories.isFetchNextPageError && memories.error && (
              <Problem error={memories.error} onRetry={() => void memories.fetchNextPage()} />
            )}
          </div>
        );
      }}
    </WhenReady>
  );
}

function NextPage({ onSeen }: { onSeen: () => void }) {
  useEffect(onSeen, []);
  return <Loading lines={1} label="Loading more" />;
}

function None() {
  const { search, change, clear } = useMemorySearch();
  if (search.forgotten) {
    return (
      <Empty title="Nothing is forgotten">What you forget stays here for 30 days and can be restored.</Empty>
    );
  }
  if (isNarrowed(search)) {
    return (
      <Empty title="No memory matches">
        <p className="mb-3">Try other words, or search by meaning.</p>
        <Button onClick={clear}>Show all</Button>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing is remembered yet" icon={<Brain className="size-6" />}>
      <p className="mb-3">
        The coach keeps what you learned when a session ends, agents keep facts with their{" "}
        <code>remember</code> tool, and you can add your own.
      </p>
      <div className="space-y-3 text-left">
        <CopyLine text={'bottega memory add "Deploys happen on Thursdays"'} />
        <Button kind="primary" className="w-full" onClick={() => change({ add: true })}>
          Remember something
        </Button>
      </div>
    </Empty>
  );
}
