import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";

import { answer, rest, ServerError } from "@/api/client";
import { katasQuery, kataQuery } from "@/api/learning";
import { Button } from "@/components/Button";
import { Notice, Problem } from "@/components/States";

/** The best kata to do now, chosen by the coach. */
export function NextKata() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const next = useMutation({
    mutationFn: () => answer(rest.POST("/api/coach/katas/next")),
    onSuccess: async (loaded) => {
      const { id } = loaded.kata;
      queries.setQueryData(kataQuery(id).queryKey, loaded);
      void queries.invalidateQueries({ queryKey: katasQuery.queryKey, exact: true });
      await navigate({ to: "/coach/practice/$id", params: { id } });
    },
  });

  return (
    <div className="space-y-3">
      <Button kind="primary" isBusy={next.isPending} onClick={() => next.mutate()}>
        Give me the next kata
      </Button>
      {next.error && (isTooEarly(next.error) ? <TooEarly /> : <Problem error={next.error} />)}
    </div>
  );
}

function isTooEarly(error: Error): boolean {
  return error instanceof ServerError && error.type === "insufficient_data";
}

function TooEarly() {
  return (
    <Notice>
      Katas grow out of coaching sessions, and there was none yet.{" "}
      <Link to="/coach/dashboard" className="underline">
        Choose an issue to work on
      </Link>{" "}
      first.
    </Notice>
  );
}
