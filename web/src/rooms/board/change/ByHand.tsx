import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";

import { type ChangeRef, finishWork, giveBack, holderQuery, isByHand, stayAt, takeOn } from "@/api/changes";
import type { BoardSessionView, ChangeView } from "@/api/schema";
import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Problem } from "@/components/States";
import { toast } from "@/components/Toasts";
import { useKept } from "@/lib/kept";

/** A lease ends ten minutes after its holder was last heard of. */
const SIGN_OF_LIFE = 60_000;

/** No agent has to do it: who wants to takes the change on, ticks its tasks and says what was done. */
export function ByHand({
  at,
  change,
  otherwise,
}: {
  at: ChangeRef;
  change: ChangeView;
  otherwise: ReactNode;
}) {
  const holder = useQuery({
    ...holderQuery(change.assigned_session_id ?? ""),
    enabled: change.assigned_session_id !== null,
  }).data;

  if (change.status === "approved") return <TakeOn at={at} change={change} />;
  if (holder?.lease && isByHand(holder, change.id)) return <AtWork holder={holder} change={change} />;
  return otherwise;
}

function TakeOn({ at, change }: { at: ChangeRef; change: ChangeView }) {
  const refresh = useRefreshed(change.id);
  const take = useMutation({ mutationFn: () => takeOn(at, change.project_id), onSettled: refresh });
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:flex-nowrap">
        <Button className="shrink-0" isBusy={take.isPending} onClick={() => take.mutate()}>
          Do it yourself
        </Button>
        <p className="text-sm text-muted">No agent can claim it meanwhile. Tick its tasks as you go.</p>
      </div>
      {take.error && <Problem error={take.error} />}
    </div>
  );
}

function AtWork({ holder, change }: { holder: BoardSessionView; change: ChangeView }) {
  const refresh = useRefreshed(change.id);
  const [result, keep, drop] = useKept(`board.result.${change.id}`, "");
  const held = { session_id: holder.id, lease_token: holder.lease?.lease_token ?? 0 };
  const finish = useMutation({
    mutationFn: () => finishWork(change.id, { ...held, result }),
    onSuccess: () => {
      drop();
      toast("Done. It is in review now.");
    },
    onSettled: refresh,
  });
  const release = useMutation({
    mutationFn: () => giveBack(change.id, { ...held, why: result || "Given back by hand." }),
    onSuccess: () => toast("It waits in the queue again."),
    onSettled: refresh,
  });

  useEffect(() => {
    const timer = setInterval(() => void stayAt(holder.id).catch(() => undefined), SIGN_OF_LIFE);
    return () => clearInterval(timer);
  }, [holder.id]);

  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        finish.mutate();
      }}
    >
      <p>
        You work on it. Tick its tasks as you go; it is yours while this page is open, and ten minutes longer.
      </p>
      <TextArea
        label="What was done"
        hint="Whoever reviews it reads this."
        required
        rows={2}
        value={result}
        onChange={(event) => keep(event.target.value)}
      />
      {(finish.error ?? release.error) && <Problem error={(finish.error ?? release.error)!} />}
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" type="submit" isBusy={finish.isPending}>
          Mark as done
        </Button>
        <Button isBusy={release.isPending} onClick={() => release.mutate()}>
          Give it back
        </Button>
      </div>
    </form>
  );
}

function useRefreshed(changeId: string) {
  const queries = useQueryClient();
  return async () => {
    await queries.invalidateQueries({ queryKey: ["change", changeId] });
    await queries.invalidateQueries({ queryKey: ["change-holder"] });
  };
}
