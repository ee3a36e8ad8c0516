import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ListTree } from "lucide-react";

import { RUN_MOVES } from "@/api/house";
import { useRefresh } from "@/api/live";
import { TRACES, tracesQuery } from "@/api/traces";
import { Button } from "@/components/Button";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";
import { VirtualList } from "@/components/VirtualList";

import { isFiltered, toFilters, type TraceSearch } from "./filters";
import { TraceFilterBar } from "./TraceFilterBar";
import { TraceLine } from "./TraceLine";

const TRACED = ["mcp.tool_called", "action.logged", ...RUN_MOVES];

export function TracesPage({ search }: { search: TraceSearch }) {
  useRefresh(TRACED, TRACES);
  const traces = useInfiniteQuery(tracesQuery(toFilters(search)));
  return (
    <Page title="Traces" lead="What was called, step by step, and what it took.">
      <TraceFilterBar search={search} />
      <WhenReady query={traces} lines={8}>
        {({ pages }) =>
          pages.flat().length === 0 ? (
            <NoTraces search={search} />
          ) : (
            <>
              <VirtualList
                label="Traces, newest first"
                items={pages.flat()}
                keyOf={({ trace_id }) => trace_id}
                className="max-h-[68vh] rounded-lg border bg-surface"
              >
                {(trace) => <TraceLine trace={trace} />}
              </VirtualList>
              {traces.hasNextPage && (
                <Button
                  className="mt-3"
                  isBusy={traces.isFetchingNextPage}
                  onClick={() => void traces.fetchNextPage()}
                >
                  Show older ones
                </Button>
              )}
            </>
          )
        }
      </WhenReady>
    </Page>
  );
}

function NoTraces({ search }: { search: TraceSearch }) {
  if (isFiltered(search)) {
    return (
      <Empty title="No trace matches" icon={<ListTree className="size-5" />}>
        <Link to="/traces" className="text-accent underline underline-offset-2">
          Show all traces
        </Link>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing has been traced yet" icon={<ListTree className="size-5" />}>
      Each tool that an agent calls, each question to a model and each step of a run leaves a trace. They stay
      on this machine, without secrets.
    </Empty>
  );
}
