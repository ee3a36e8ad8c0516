import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type ChangeRef, changeQuery } from "@/api/changes";
import { useLive, useRefresh } from "@/api/live";
import type { ChangeView } from "@/api/schema";

/** What happens to this change elsewhere, in files or by agents, is asked for at once. */
export function useChangeNews({ id }: ChangeRef): void {
  const queries = useQueryClient();
  useLive(["specs.*", "work.*"], ({ payload }) => {
    if (payload.change_id === id) void queries.invalidateQueries({ queryKey: ["change", id] });
  });
  useRefresh(["agents.*"], ["change-holder"]);
  useRefresh([], ["change", id]); // after a lost connection
}

/** Something done to the change: what the server answers is shown, and the rest is asked for again. */
export function useChangeMutation<Asked, Given>(
  ref: ChangeRef,
  act: (asked: Asked) => Promise<Given>,
  changed: (given: Given) => ChangeView,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: (given) => queries.setQueryData(changeQuery(ref).queryKey, changed(given)),
    // Not waited for: OpenSpec's own verdict takes its time.
    onSettled: () => void queries.invalidateQueries({ queryKey: ["change", ref.id] }),
  });
}
