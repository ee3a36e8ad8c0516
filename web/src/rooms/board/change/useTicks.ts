import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { type ChangeRef, changeQuery, tickTasks } from "@/api/changes";
import type { ChangeView } from "@/api/schema";
import { toastError } from "@/components/Toasts";

import { withTick } from "./tasks";

type Tick = { id: string; done: boolean };

/** Ticks are shown at once, over what the server says, and taken back if it refuses. */
export function useTicks(at: ChangeRef, change: ChangeView) {
  const queries = useQueryClient();
  const [pending, setPending] = useState<readonly Tick[]>([]);
  const send = useMutation({
    mutationFn: ({ id, done }: Tick) => tickTasks(at, { tasks: [id], done }),
    onSuccess: (ticked) => queries.setQueryData(changeQuery(at).queryKey, ticked),
    onError: toastError,
    onSettled: (_ticked, _error, sent) => {
      setPending((ticks) => ticks.filter((tick) => tick !== sent));
      void queries.invalidateQueries({ queryKey: ["change", at.id] });
    },
  });

  function tick(next: Tick) {
    setPending((ticks) => [...ticks, next]);
    send.mutate(next);
  }

  return { shown: pending.reduce((shown, { id, done }) => withTick(shown, id, done), change), tick };
}
