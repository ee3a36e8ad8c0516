import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { cancelRun, RESEARCH } from "@/api/research";
import { Button } from "@/components/Button";
import { Confirm } from "@/components/Dialog";
import { toastError } from "@/components/Toasts";

export function CancelRun({ id }: { id: string }) {
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const cancelling = useMutation({
    mutationFn: () => cancelRun(id),
    onError: toastError,
    onSettled: () => {
      setAsking(false);
      return queries.invalidateQueries({ queryKey: RESEARCH });
    },
  });

  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Cancel the research
      </Button>
      <Confirm
        title="Cancel this research?"
        action="Yes, stop it"
        isOpen={isAsking}
        isBusy={cancelling.isPending}
        onConfirm={() => cancelling.mutate()}
        onClose={() => setAsking(false)}
      >
        It stops for good. What it has found so far is kept in the conversation.
      </Confirm>
    </>
  );
}
