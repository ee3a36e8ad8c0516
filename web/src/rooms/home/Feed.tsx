import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { eventsQuery, ACTIVITY_TOPICS } from "@/api/house";
import { useLive, useRefresh } from "@/api/live";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";

import { collapseRepeats } from "./sentences";

const KEPT = 60;

/** Activity, in words, as it happens. */
export function Feed() {
  const queries = useQueryClient();
  const events = useQuery(eventsQuery);
  useRefresh([], eventsQuery.queryKey);
  useLive(ACTIVITY_TOPICS, (event) =>
    queries.setQueryData(eventsQuery.queryKey, (before = []) =>
      before.some(({ id }) => id === event.id) ? before : [event, ...before].slice(0, KEPT),
    ),
  );

  return (
    <Card
      title="Activity"
      note={
        <Link to="/traces" className="underline underline-offset-2">
          Every call, in traces
        </Link>
      }
    >
      <WhenReady query={events}>
        {(happened) =>
          happened.length === 0 ? (
            <Empty title="Nothing has happened yet">It appears here as it happens.</Empty>
          ) : (
            <ol
              aria-label="Activity, newest first"
              tabIndex={0}
              className="max-h-80 space-y-1.5 overflow-y-auto pr-1 text-sm"
            >
              {collapseRepeats(happened).map(({ id, text, at, times }) => (
                <li key={id} className="flex items-baseline justify-between gap-4">
                  <span className="line-clamp-2 min-w-0 break-words">
                    {text}
                    {times > 1 && <span className="text-muted"> × {times}</span>}
                  </span>
                  <span className="shrink-0 text-xs text-muted">
                    <Time at={at} />
                  </span>
                </li>
              ))}
            </ol>
          )
        }
      </WhenReady>
    </Card>
  );
}
