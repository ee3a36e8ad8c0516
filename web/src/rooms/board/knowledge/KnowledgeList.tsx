import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Brain } from "lucide-react";

import { knowledgeQuery } from "@/api/board";
import type { BoardTier } from "@/api/schema";
import { Button } from "@/components/Button";
import { Empty, WhenReady } from "@/components/States";

import { NothingFits } from "../NothingFits";
import { ScrolledRows } from "../ScrolledRows";
import { useBoardSearch } from "../search";
import { KnowledgeCard } from "./KnowledgeCard";
import { TIER } from "./tiers";

export function KnowledgeList({ tier }: { tier: BoardTier }) {
  const [{ project, category, search }] = useBoardSearch();
  const known = useInfiniteQuery({
    ...knowledgeQuery({ tier, project_id: project, category, search }),
    placeholderData: keepPreviousData,
  });
  return (
    <WhenReady query={known} lines={6}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length === 0)
          return <NothingFits filters={["search", "category"]} whenUnfiltered={<NothingKnown />} />;
        return (
          <>
            <ScrolledRows
              count={items.length}
              label={TIER[tier].name}
              rowHeight={120}
              rowClass="pb-3"
              keyOf={(index) => items[index]!.id}
            >
              {(index) => <KnowledgeCard item={items[index]!} />}
            </ScrolledRows>
            {known.hasNextPage && (
              <Button isBusy={known.isFetchingNextPage} onClick={() => void known.fetchNextPage()}>
                Show older
              </Button>
            )}
          </>
        );
      }}
    </WhenReady>
  );
}

function NothingKnown() {
  return (
    <Empty title="Nothing is known here yet" icon={<Brain className="size-6" />}>
      Agents note what they learn with <code>board_record_memory</code>, and applied changes leave their
      lessons. What helps rises a tier, what does not falls.
    </Empty>
  );
}
