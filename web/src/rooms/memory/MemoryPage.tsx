import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { useRefresh } from "@/api/live";
import { MEMORIES, overviewQuery } from "@/api/memories";
import { Button } from "@/components/Button";
import { Page } from "@/components/Page";
import { plural } from "@/lib/words";
import { useCommands } from "@/shell/commands";

import { Filters } from "./Filters";
import { MemoryList } from "./MemoryList";
import { NewMemory } from "./NewMemory";
import { Elsewhere } from "./places";
import { Recalled } from "./Recalled";
import { SearchForm } from "./SearchForm";
import { useMemorySearch } from "./useMemorySearch";

export function MemoryPage() {
  const { search, change } = useMemorySearch();
  const overview = useQuery(overviewQuery).data;
  useRefresh(["memory.*"], MEMORIES);
  useCommands(
    "Memory",
    useMemo(() => [{ name: "Remember something", run: () => change({ add: true }) }], []),
  );
  const byMeaning = search.by === "meaning";

  return (
    <Page
      title="Memory"
      lead={
        overview
          ? `${plural(overview.total, "memory", "memories")} that you and your agents keep from one session to the next.`
          : "What you and your agents keep from one session to the next."
      }
      actions={
        <Button kind="primary" disabled={search.add} onClick={() => change({ add: true })}>
          Remember something
        </Button>
      }
    >
      <div className="space-y-4">
        {search.add && <NewMemory onClose={() => change({ add: undefined })} />}
        <SearchForm key={search.q} />
        <Filters overview={overview} />
        {byMeaning && search.q ? <Recalled query={search.q} project={search.project} /> : <MemoryList />}
        <Elsewhere />
      </div>
    </Page>
  );
}
