import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import { timelineQuery } from "@/api/board";
import { Card } from "@/components/Card";
import { Loading, WhenReady } from "@/components/States";

import { ScrolledRows } from "../ScrolledRows";
import { TimelineEvent } from "./TimelineEvent";

/** What the agent did, the newest first; older events come as one scrolls. */
export function Timeline({ sessionId }: { sessionId: string }) {
  const timeline = useInfiniteQuery(timelineQuery(sessionId));
  return (
    <Card title="Activity">
      <WhenReady query={timeline}>
        {({ pages }) => {
          const events = pages.flatMap((page) => page.events);
          if (events.length === 0) return <NoActivity />;
          return (
            <ScrolledRows
              count={events.length + (timeline.hasNextPage ? 1 : 0)}
              label="Activity"
              rowHeight={52}
              rowClass="border-b last:border-0"
              keyOf={(index) => events[index]?.number ?? "older"}
            >
              {(index) => {
                const event = events[index];
                return event ? <TimelineEvent event={event} /> : <Older onSight={timeline.fetchNextPage} />;
              }}
            </ScrolledRows>
          );
        }}
      </WhenReady>
    </Card>
  );
}

function Older({ onSight }: { onSight: () => unknown }) {
  useEffect(() => void onSight(), [onSight]);
  return <Loading lines={1} label="Loading older activity" />;
}

function NoActivity() {
  return (
    <p className="text-sm text-muted">
      Nothing was heard of what it does. Claude Code reports it by its hooks: let them post to{" "}
      <code>/api/board/hooks</code>.
    </p>
  );
}
