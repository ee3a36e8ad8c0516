import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useReducer } from "react";

import { storyQuery, type TurnEvent } from "@/api/assistant";
import { type Frame, useStream } from "@/api/stream";

export type LiveTurn = {
  runId: string | null;
  events: readonly TurnEvent[];
  /** What the model is writing right now; it is nowhere kept until it is finished. */
  writing: string;
};

type Heard = { runId: string; frame: Frame };

const ENDS = new Set(["completed", "failed", "cancelled"]);

export function hear(state: LiveTurn, { runId, frame }: Heard): LiveTurn {
  const now = state.runId === runId ? state : { runId, events: [], writing: "" };
  if (frame.event === "delta")
    return { ...now, writing: now.writing + (frame.data as { text: string }).text };
  const event = { ...(frame.data as object), position: Number(frame.id) } as TurnEvent;
  const newest = now.events.at(-1)?.position ?? 0;
  if (event.position <= newest) return now;
  const writing = event.type === "model_turn" || ENDS.has(event.type) ? "" : now.writing;
  return { ...now, events: [...now.events, event], writing };
}

/** The newest turn from its beginning on, and as it goes on. */
export function useLiveTurn(sessionId: string, runId: string | null): LiveTurn {
  const queries = useQueryClient();
  const [state, heard] = useReducer(hear, { runId: null, events: [], writing: "" });
  const url = runId && `/api/assistant/sessions/${sessionId}/events?turn=${runId}`;
  useStream(url, {
    onFrame: (frame) => runId && heard({ runId, frame }),
    isLast: ({ event }) => ENDS.has(event ?? ""),
  });

  // Once the next turn begins this one is read like any that has ended, without asking again.
  const isOver = ENDS.has(state.events.at(-1)?.type ?? "");
  useEffect(() => {
    if (isOver && state.runId) {
      queries.setQueryData(storyQuery(sessionId, state.runId).queryKey, { events: [...state.events] });
    }
  }, [isOver, state.runId]);

  return state.runId === runId ? state : { runId, events: [], writing: "" };
}
