import { useQueryClient } from "@tanstack/react-query";

import { replyToRun, runQuery } from "@/api/research";
import type { RunState, Waiting } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Markdown } from "@/components/Markdown";
import { useKept } from "@/lib/kept";

import { Composer } from "../Composer";
import { useSingle } from "@/lib/single";

const TITLES: Record<string, string> = {
  READY: "Shall I go on like this?",
  CLARIFYING: "A question before I start",
  CALIBRATED: "The plan has changed. Shall I go on?",
  CONFIRMED: "The plan holds. Shall I go on?",
  MODIFYING: "What should be different?",
  LEAVING: "Do you want to leave?",
};

/** What a paused run asks: answered with one of its options, or in words. */
export function Pause({ run, waiting }: { run: RunState; waiting: Waiting }) {
  const [text, setText] = useKept(`research.reply.${run.id}`, "");
  const queries = useQueryClient();
  const replying = useSingle({
    mutationFn: (reply: string) => replyToRun(run.id, reply),
    onSuccess: (_, reply) => {
      if (reply === text) setText("");
    },
    onSettled: () => queries.invalidateQueries({ queryKey: runQuery(run.id).queryKey }),
  });
  // Taken, and the run has not moved yet: a second click would answer the next question.
  const isBusy = replying.isPending || replying.isSuccess;

  return (
    <Card title={TITLES[waiting.kind] ?? "The research asks you"} className="border-warn/60">
      <div className="max-w-prose text-sm">
        <Markdown text={waiting.body} />
      </div>
      <div className="my-4 flex flex-wrap gap-2">
        {waiting.options.map(({ key, label }, index) => (
          <Button
            key={key}
            kind={index === 0 ? "primary" : "plain"}
            disabled={isBusy}
            onClick={() => replying.send(key)}
          >
            {label}
          </Button>
        ))}
      </div>
      <Composer
        label="Or in your own words"
        hint={waiting.otherwise}
        action="Send"
        text={text}
        onText={setText}
        onSend={() => replying.send(text)}
        isBusy={isBusy}
        error={replying.error}
      />
    </Card>
  );
}
