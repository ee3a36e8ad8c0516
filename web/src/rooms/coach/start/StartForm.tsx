import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";

import { startSession } from "@/api/coaching";
import { Button } from "@/components/Button";
import { TextField } from "@/components/Field";
import { Problem } from "@/components/States";
import { useKept } from "@/lib/kept";

import { EarlierSessions } from "./EarlierSessions";
import { IssueChoice } from "./IssueChoice";

/** Begin: with words of one's own, one of the project's issues, or where an earlier session stopped. */
export function StartForm() {
  const [words, setWords] = useKept("coach.words", "");
  const queries = useQueryClient();
  const start = useMutation({
    mutationFn: startSession,
    onSuccess: () => {
      setWords("");
      void queries.invalidateQueries({ queryKey: ["coach", "sessions"] });
    },
  });

  function submitted(event: FormEvent) {
    event.preventDefault();
    if (words.trim() && !start.isPending) start.mutate({ issueTitle: words.trim() });
  }

  return (
    <div className="space-y-6">
      {start.error && <Problem error={start.error} />}
      <form onSubmit={submitted} className="flex flex-wrap items-end gap-2">
        <TextField
          label="What do you want to work on?"
          placeholder="In your own words"
          maxLength={500}
          className="min-w-60 grow"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <Button
          type="submit"
          kind={words.trim() ? "primary" : "plain"}
          disabled={!words.trim()}
          isBusy={start.isPending && start.variables.issueNumber === undefined}
        >
          Begin
        </Button>
      </form>
      <IssueChoice
        onChoose={(issueNumber) => start.mutate({ issueNumber })}
        chosen={start.isPending ? (start.variables.issueNumber ?? undefined) : undefined}
      />
      <EarlierSessions />
    </div>
  );
}
