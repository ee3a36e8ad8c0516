import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { answer, rest } from "@/api/client";
import { JOURNAL } from "@/api/journal";
import type { Axis, Validation } from "@/api/schema";
import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Notice, Problem } from "@/components/States";
import { toast } from "@/components/Toasts";
import { useKept } from "@/lib/kept";
import { percent } from "@/lib/words";

/** One sentence that the members of a cluster bear out: tried first, then kept. */
export function ValueForm({ clusterId, axis }: { clusterId: string; axis: Axis }) {
  const queries = useQueryClient();
  const [text, keep, drop] = useKept(`journal.value.${clusterId}`, "");
  const check = useMutation({
    mutationFn: () =>
      answer(rest.POST("/api/journal/values/validate", { body: { text, cluster_id: clusterId } })),
  });
  const store = useMutation({
    mutationFn: () =>
      answer(rest.POST("/api/journal/values", { body: { text, cluster_id: clusterId, axis } })),
    onSuccess: () => {
      drop();
      check.reset();
      void queries.invalidateQueries({ queryKey: JOURNAL });
      toast("Saved. It is shown for tasks that it fits.");
    },
  });

  function write(next: string) {
    keep(next);
    check.reset();
  }

  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        check.mutate();
      }}
    >
      <TextArea
        label="The value"
        hint="What do these experiences teach, in one sentence, in their own words?"
        required
        rows={3}
        value={text}
        onChange={(event) => write(event.target.value)}
      />
      {check.data && <Verdict verdict={check.data} />}
      {check.error && <Problem error={check.error} />}
      {store.error && <Problem error={store.error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button kind={check.data?.valid ? "plain" : "primary"} type="submit" isBusy={check.isPending}>
          See whether it fits
        </Button>
        {check.data?.valid && (
          <Button kind="primary" isBusy={store.isPending} onClick={() => store.mutate()}>
            Keep this value
          </Button>
        )}
        <Link to="/journal/values" className="text-sm text-accent underline">
          All values
        </Link>
      </div>
    </form>
  );
}

function Verdict({ verdict }: { verdict: Validation }) {
  const { valid, similarity, reason } = verdict;
  return (
    <Notice tone={valid ? "good" : "warn"}>
      {valid ? "It says what the cluster says" : (reason ?? "It does not say what the cluster says")}
      {similarity !== null && ` (${percent(similarity)} alike).`}
    </Notice>
  );
}
