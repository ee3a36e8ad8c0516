import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import { librariesQuery } from "@/api/library";
import { toast, toastError } from "@/components/Toasts";

export function useRemoveLibrary(onRemoved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) =>
      answer(rest.DELETE("/api/libraries/{name}", { params: { path: { name } } })),
    onSuccess: ({ removed }) => {
      onRemoved();
      queries.removeQueries({ queryKey: ["library", removed] });
      void queries.invalidateQueries(librariesQuery);
      toast(`The library ${removed} is gone. The files themselves stay where they are.`);
    },
    onError: toastError,
  });
}
