import { useMutation, useQueryClient } from "@tanstack/react-query";

import { sourcesQuery } from "@/api/sources";
import { toastError } from "@/components/Toasts";

/** Something done to a source: whatever came of it, what is shown of sources is asked for anew. */
export function useSourceAction<Given, Told>(
  act: (given: Given) => Promise<Told>,
  onDone?: (told: Told) => void,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: onDone,
    onError: toastError,
    onSettled: () => queries.invalidateQueries({ queryKey: sourcesQuery.queryKey }),
  });
}
