import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import { JOURNAL, orphansQuery } from "@/api/journal";
import type { OrphanView } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Time } from "@/components/Time";
import { toast, toastError } from "@/components/Toasts";

/** Open entries that nobody works on any more: take one up again, or give it up. */
export function Orphans() {
  const orphans = useQuery(orphansQuery).data?.results ?? [];
  if (orphans.length === 0) return null;
  return (
    <Card title="Left open" note="Begun, and not finished">
      <ul className="divide-y">
        {orphans.map((orphan) => (
          <Orphan key={orphan.id} orphan={orphan} />
        ))}
      </ul>
    </Card>
  );
}

function Orphan({ orphan }: { orphan: OrphanView }) {
  const queries = useQueryClient();
  const path = { id: orphan.id };
  const done = (text: string) => () => {
    void queries.invalidateQueries({ queryKey: JOURNAL });
    toast(text);
  };
  const adopt = useMutation({
    mutationFn: () => answer(rest.POST("/api/journal/entries/{id}/adopt", { params: { path }, body: {} })),
    onSuccess: done("It is open now."),
    onError: toastError,
  });
  const abandon = useMutation({
    mutationFn: () => answer(rest.POST("/api/journal/entries/{id}/abandon", { params: { path }, body: {} })),
    onSuccess: done("Given up; it stays in the journal."),
    onError: toastError,
  });
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2">
      <p className="min-w-0">
        {orphan.goal}{" "}
        <span className="text-sm text-muted">
          begun <Time at={orphan.created_at} />
        </span>
      </p>
      <div className="flex gap-2">
        <Button isBusy={adopt.isPending} onClick={() => adopt.mutate()}>
          Take it up
        </Button>
        <Button kind="quiet" isBusy={abandon.isPending} onClick={() => abandon.mutate()}>
          Give it up
        </Button>
      </div>
    </li>
  );
}
