import type { FormEvent } from "react";

import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { useKept } from "@/lib/kept";

import type { GateProps } from "./useReply";

/** Questions that only the person can answer; none must be. */
export function ReflectionGate({ gate, draftKey, send, isBusy }: GateProps) {
  const [answers, setAnswers] = useKept<Record<string, string>>(draftKey, {});
  const items = (gate.items ?? []).flatMap(({ id }) => {
    const text = answers[id]?.trim();
    return text ? [{ id, decision: "answer", text }] : [];
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    send({ decision: "skip", items });
  }

  return (
    <form onSubmit={submit} className="space-y-3">
      <p className="text-sm">{gate.text}</p>
      {gate.items?.map(({ id, title }) => (
        <TextArea
          key={id}
          label={title}
          rows={2}
          value={answers[id] ?? ""}
          onChange={(event) => setAnswers({ ...answers, [id]: event.target.value })}
        />
      ))}
      <Button kind={items.length > 0 ? "primary" : "plain"} type="submit" isBusy={isBusy}>
        {items.length > 0 ? "Send my answers" : "Skip the questions"}
      </Button>
    </form>
  );
}
