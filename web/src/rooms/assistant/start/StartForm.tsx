import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";

import { sessionsKey } from "@/api/assistant";
import { answer, rest } from "@/api/client";
import type { CommandView, AssistantStartInput } from "@/api/schema";
import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Problem } from "@/components/States";
import { useKept } from "@/lib/kept";

import { type Options, PLAIN_OPTIONS, TurnOptions } from "./TurnOptions";
import { Rehearsal } from "./Rehearsal";

type Order = { input: string; options: Options };

/** A command's one argument, what may be chosen beside it, and a look at the prompt before. */
export function StartForm({ command }: { command: CommandView }) {
  const [order, setOrder, forget] = useKept<Order>(`assistant.start.${command.name}`, {
    input: "",
    options: PLAIN_OPTIONS,
  });
  const [isRehearsing, setRehearsing] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const body: AssistantStartInput = { command: command.name, input: order.input, ...order.options };

  const start = useMutation({
    mutationFn: () => answer(rest.POST("/api/assistant/sessions", { body })),
    onSuccess: async ({ session_id }) => {
      forget();
      void queries.invalidateQueries({ queryKey: sessionsKey });
      await navigate({ to: "/assistant/sessions/$id", params: { id: session_id } });
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (order.input.trim() && !start.isPending) start.mutate();
  }

  const isEmpty = !order.input.trim();
  return (
    <form onSubmit={submit} className="mt-4 space-y-3 border-t pt-4">
      <TextArea
        label="What should it do?"
        hint={command.example ? `For example: ${command.example}` : command.description}
        value={order.input}
        onChange={(event) => setOrder({ ...order, input: event.target.value })}
        rows={3}
        autoFocus
      />
      <TurnOptions value={order.options} onChange={(options) => setOrder({ ...order, options })} />
      {start.error && <Problem error={start.error} />}
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" type="submit" isBusy={start.isPending} disabled={isEmpty}>
          Start
        </Button>
        <Button disabled={isEmpty} onClick={() => setRehearsing(true)}>
          Show the prompt
        </Button>
        {command.example && isEmpty && (
          <Button kind="quiet" onClick={() => setOrder({ ...order, input: command.example ?? "" })}>
            Take the example
          </Button>
        )}
      </div>
      {isRehearsing && <Rehearsal order={body} onClose={() => setRehearsing(false)} />}
    </form>
  );
}
