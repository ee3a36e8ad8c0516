import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import { MEMORIES } from "@/api/memories";
import { toast, toastError } from "@/components/Toasts";

/** Forgetting has a way back for 30 days; the toast offers it at once. */
export function useMemoryChanges() {
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: MEMORIES });
  const restore = useMutation({
    mutationFn: (id: string) => answer(rest.POST("/api/memories/{id}/restore", { params: { path: { id } } })),
    onSuccess: async () => {
      await refresh();
      toast("It is remembered again.");
    },
    onError: toastError,
  });
  const forget = useMutation({
    mutationFn: (id: string) => answer(rest.DELETE("/api/memories/{id}", { params: { path: { id } } })),
    onSuccess: async ({ id }) => {
      toast("Forgotten.", () => restore.mutate(id));
      await refresh();
    },
    onError: toastError,
  });
  return { forget, restore };
}
