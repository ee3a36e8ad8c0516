import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { RESEARCH, runEventsAddress, runQuery } from "@/api/research";
import type { RunState } from "@/api/schema";
import { type Frame, useStream } from "@/api/stream";

import { isOver } from "../standing";

/** Events that come in a burst are worth one look. */
const PACE = 120;
const ENDS = new Set(["completed", "failed", "cancelled"]);

/** Text of a model as it comes, and the call it is part of. */
type Draft = { substep: string; text: string };

const EMPTY: Draft = { substep: "", text: "" };

/**
 * Follow a run: its state is read again whenever something happens, and what a model writes is
 * returned as it comes. One component per run, or one run's text would show in another's page.
 */
export function useRunLive(run: RunState): string {
  const queries = useQueryClient();
  const [start] = useState(run.position);
  const [draft, setDraft] = useState(EMPTY);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  function lookAgain() {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: runQuery(run.id).queryKey });
    }, PACE);
  }

  function onFrame({ event = "", data }: Frame) {
    if (event === "delta") {
      const { substep, text } = data as Draft;
      return setDraft((was) => ({ substep, text: was.substep === substep ? was.text + text : text }));
    }
    if (event === "paused" || ENDS.has(event)) setDraft(EMPTY);
    if (ENDS.has(event)) void queries.invalidateQueries({ queryKey: [...RESEARCH, "runs"] });
    lookAgain();
  }

  useStream(isOver(run) ? null : runEventsAddress(run.id, start), {
    onFrame,
    isLast: ({ event = "" }) => ENDS.has(event),
  });
  useEffect(() => () => clearTimeout(timer.current), []);

  return draft.text;
}
