import { useQuery } from "@tanstack/react-query";
import { MessagesSquare } from "lucide-react";
import { useState } from "react";

import { sessionsKey, sessionsQuery, TURN_MOVES } from "@/api/assistant";
import { useRefresh } from "@/api/live";
import type { ListedSession } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { classes } from "@/lib/classes";
import { plural } from "@/lib/words";

import { SessionRow } from "./SessionRow";

const PAGE = 30;

/** Newest first; those that wait for an answer before all others. */
export function SessionList() {
  const [limit, setLimit] = useState(PAGE);
  const sessions = useQuery(sessionsQuery(limit));
  useRefresh([...TURN_MOVES, "session.*"], sessionsKey);
  const waiting = sessions.data?.sessions.filter(isWaiting).length ?? 0;

  return (
    <Card
      title="Sessions"
      note={waiting > 0 && `${plural(waiting, "waits", "wait")} for you`}
      className={classes("min-w-0 self-start", waiting > 0 && "order-first lg:order-none")}
    >
      <WhenReady query={sessions}>
        {({ sessions: found }) =>
          found.length > 0 ? (
            <>
              <ul aria-label="Sessions" className="-mx-2 divide-y">
                {[...found.filter(isWaiting), ...found.filter((each) => !isWaiting(each))].map((session) => (
                  <SessionRow key={session.id} session={session} />
                ))}
              </ul>
              {found.length === limit && (
                <Button kind="quiet" className="mt-2" onClick={() => setLimit(limit + PAGE)}>
                  Show more
                </Button>
              )}
            </>
          ) : (
            <Empty title="Nothing was asked yet." icon={<MessagesSquare />}>
              Choose a command and say what you need. What is made, and where it waits for you, is kept here.
            </Empty>
          )
        }
      </WhenReady>
    </Card>
  );
}

function isWaiting(session: ListedSession): boolean {
  return session.turn === "paused";
}
