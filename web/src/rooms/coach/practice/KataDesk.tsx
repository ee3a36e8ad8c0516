import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import { LEARNING } from "@/api/learning";
import type { KataLoad } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { CodeEditor } from "@/components/CodeEditor";
import { Markdown } from "@/components/Markdown";
import { Loading, Problem } from "@/components/States";
import { toast } from "@/components/Toasts";
import { useKept } from "@/lib/kept";

import { Attempts } from "./Attempts";
import { Constraints } from "./Constraints";
import { ReviewShown } from "./ReviewShown";

type Draft = { code: string; constraints: string[] };

/** A kata at work: its task on one side, the solution on the other. What is written stays through a reload. */
export function KataDesk({ loaded: { kata, constraints } }: { loaded: KataLoad }) {
  const queries = useQueryClient();
  const first: Draft = { code: kata.scaffoldingCode, constraints: [] };
  const [draft, keep] = useKept(`kata.${kata.id}`, first);
  const submit = useMutation({
    mutationFn: () =>
      answer(
        rest.POST("/api/coach/katas/{id}/attempts", {
          params: { path: { id: kata.id } },
          body: { userCode: draft.code, activeConstraintTitles: draft.constraints },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: LEARNING }),
  });

  function replaceCode(code: string, said: string) {
    const before = draft;
    keep({ ...draft, code });
    toast(said, () => keep(before));
  }

  function handIn() {
    if (!submit.isPending) submit.mutate();
  }

  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <div className="space-y-4">
        <Card title="The task">
          <Markdown text={kata.description} />
        </Card>
        <Constraints
          offered={constraints}
          chosen={draft.constraints}
          onChoose={(chosen) => keep({ ...draft, constraints: chosen })}
        />
      </div>
      <div className="space-y-4">
        <form
          className="space-y-3 rounded-lg border bg-surface p-4"
          onSubmit={(event) => {
            event.preventDefault();
            handIn();
          }}
          onKeyDownCapture={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            event.stopPropagation();
            handIn();
          }}
        >
          <h2 className="font-semibold">Your solution</h2>
          <CodeEditor
            label="Your solution"
            language="python"
            value={draft.code}
            onChange={(code) => keep({ ...draft, code })}
            onSave={() => toast("Your draft is kept in this browser.")}
            className="h-96 rounded-md border"
          />
          <div className="flex flex-wrap items-center gap-3">
            <Button kind="primary" type="submit" isBusy={submit.isPending}>
              Hand in
            </Button>
            <Button
              disabled={draft.code === kata.scaffoldingCode}
              onClick={() => replaceCode(kata.scaffoldingCode, "Back to the beginning.")}
            >
              Start over
            </Button>
            <p className="text-sm text-muted">Ctrl+Enter hands in. Escape, then Tab, leaves the editor.</p>
          </div>
        </form>
        {submit.isPending && <Loading label="Running and reading your solution" />}
        {submit.error && <Problem error={submit.error} onRetry={handIn} />}
        {submit.data && !submit.isPending && (
          <ReviewShown
            review={submit.data}
            chosen={draft.constraints}
            onTakeOn={(title) => keep({ ...draft, constraints: [...draft.constraints, title] })}
          />
        )}
        <Attempts
          attempts={kata.attempts}
          onUse={(code) => replaceCode(code, "The earlier solution is in the editor.")}
        />
      </div>
    </div>
  );
}
