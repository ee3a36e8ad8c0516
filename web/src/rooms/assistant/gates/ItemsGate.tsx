import type { FormEvent } from "react";

import { Button } from "@/components/Button";
import { useKept } from "@/lib/kept";

import { ItemChoice } from "./ItemChoice";
import { type Choices, choiceFor, intent, isUnfinished, replyOf } from "./itemsGate";
import type { GateProps } from "./useReply";
import { WholeRevision } from "./WholeRevision";

/** Decided one by one: sections of a draft, notes to remember, names in them. */
export function ItemsGate({ gate, draftKey, send, isBusy }: GateProps) {
  const [choices, setChoices] = useKept<Choices>(draftKey, {});

  function submit(event: FormEvent) {
    event.preventDefault();
    send(replyOf(gate, choices));
  }

  return (
    <>
      <form onSubmit={submit} className="space-y-3">
        <p className="text-sm">{gate.text}</p>
        <ul className="divide-y border-y">
          {gate.items?.map((item) => (
            <ItemChoice
              key={item.id}
              kind={gate.kind}
              item={item}
              choice={choiceFor(gate, item, choices)}
              onChange={(choice) => setChoices({ ...choices, [item.id]: choice })}
            />
          ))}
        </ul>
        <Button kind="primary" type="submit" isBusy={isBusy} disabled={isUnfinished(gate, choices)}>
          {intent(gate, choices)}
        </Button>
        {isUnfinished(gate, choices) && (
          <p className="text-sm text-muted">Say in the open field how it should be.</p>
        )}
      </form>
      {gate.kind === "adjudication" && (
        <WholeRevision draftKey={`${draftKey}.whole`} send={send} isBusy={isBusy} />
      )}
    </>
  );
}
