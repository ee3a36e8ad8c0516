import { UserRound } from "lucide-react";

import type { Gate, GateReply } from "@/api/schema";

import { decisionWords, GATE } from "../words";

/** What somebody decided, in a line or a few. */
export function AnsweredGate({ gate, reply }: { gate: Gate; reply: GateReply }) {
  const titles = new Map(gate.items?.map(({ id, title }) => [id, title]));
  const items = reply.items ?? [];
  return (
    <div className="ml-auto w-fit max-w-[92%] rounded-lg bg-sunken p-3 text-sm">
      <p className="flex items-center gap-1.5 text-muted">
        <UserRound aria-hidden className="size-4" />
        You, about {GATE[gate.kind]}
      </p>
      {items.length > 0 ? (
        <ul className="mt-1 space-y-1">
          {items.map(({ id, decision, text }) => (
            <li key={id}>
              <span className="font-medium">{decisionWords(decision)}:</span> {titles.get(id)}
              {text && <span className="block whitespace-pre-wrap text-muted">{text}</span>}
            </li>
          ))}
          {gate.kind === "adjudication" && items.length < titles.size && (
            <li>
              <span className="font-medium">{decisionWords(reply.decision)}:</span> the rest
            </li>
          )}
        </ul>
      ) : (
        <p className="mt-1">
          <span className="font-medium">
            {reply.rating ? `${reply.rating} of 5` : decisionWords(reply.decision)}
          </span>
          {typeof gate.data?.section === "string" && ` for “${gate.data.section}”`}
          {reply.text && <span className="block whitespace-pre-wrap">{reply.text}</span>}
        </p>
      )}
    </div>
  );
}
