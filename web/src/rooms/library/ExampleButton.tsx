import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { answer, rest } from "@/api/client";
import { librariesQuery } from "@/api/library";
import { Button, type ButtonKind } from "@/components/Button";
import { toastError } from "@/components/Toasts";

/** A small library to try things on, in one click. */
export function ExampleButton({ kind = "plain" }: { kind?: ButtonKind }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const adding = useMutation({
    mutationFn: () => answer(rest.POST("/api/libraries/example")),
    onSuccess: ({ library, run_id }) => {
      void queries.invalidateQueries(librariesQuery);
      void navigate({ to: "/libraries/$name", params: { name: library }, search: { ingest: run_id } });
    },
    onError: toastError,
  });
  return (
    <Button kind={kind} isBusy={adding.isPending} onClick={() => adding.mutate()}>
      Add the example library
    </Button>
  );
}
