import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { TokenView } from "@/api/schema";
import { revokeToken, tokensQuery } from "@/api/tokens";
import { Button } from "@/components/Button";
import { Confirm } from "@/components/Dialog";
import { toast, toastError } from "@/components/Toasts";

export function RevokeToken({ token }: { token: TokenView }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const revoke = useMutation({
    mutationFn: () => revokeToken(token.id),
    onSuccess: () => toast(`The token “${token.name}” works no more.`),
    onError: toastError,
    onSettled: () => {
      setAsking(false);
      return queries.invalidateQueries(tokensQuery);
    },
  });
  return (
    <>
      <Button kind="danger" aria-label={`Revoke ${token.name}`} onClick={() => setAsking(true)}>
        Revoke
      </Button>
      <Confirm
        title={`Revoke “${token.name}”?`}
        action="Revoke it"
        isOpen={isAsking}
        isBusy={revoke.isPending}
        onConfirm={() => revoke.mutate()}
        onClose={() => setAsking(false)}
      >
        Whoever uses it is refused from then on. This cannot be undone; a new token can be made.
      </Confirm>
    </>
  );
}
