import { useState } from "react";

import { isFinal } from "@/api/assistant";
import type { AssistantSessionView, TurnView } from "@/api/schema";
import { Button } from "@/components/Button";
import { plural } from "@/lib/words";

import type { LiveTurn } from "../story/useLiveTurn";
import { Composer } from "./Composer";
import { NewestTurn, PastTurn } from "./Turn";

const SHOWN = 5;

type Props = { session: AssistantSessionView; turns: readonly TurnView[]; live: LiveTurn };

/** All turns, the newest as it goes on, and the next thing to say. */
export function Chat({ session, turns, live }: Props) {
  const [shown, setShown] = useState(SHOWN);
  const newest = turns.at(-1);
  const past = turns.slice(0, -1);
  const earlier = Math.max(0, past.length - shown);

  return (
    <div className="relative flex min-h-full flex-col px-1">
      <h2 className="sr-only">Conversation</h2>
      <div className="grow space-y-8 pb-6">
        {earlier > 0 && (
          <Button kind="quiet" onClick={() => setShown(shown + SHOWN)}>
            {plural(earlier, "earlier turn")}
          </Button>
        )}
        {past.slice(earlier).map((turn) => (
          <PastTurn key={turn.run_id} turn={turn} />
        ))}
        {newest && <NewestTurn key={newest.run_id} turn={newest} live={live} />}
      </div>
      {newest?.status !== "paused" && (
        <Composer sessionId={session.id} isFree={!newest || isFinal(newest.status)} />
      )}
    </div>
  );
}
