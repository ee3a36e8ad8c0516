import { useQuery } from "@tanstack/react-query";
import { Scale } from "lucide-react";

import { decisionsQuery } from "@/api/assistant";
import type { GateKind } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { plain } from "@/lib/words";

import { decisionWords, GATE } from "../words";

/** Everything that somebody decided in the session, newest first. */
export function Decisions({ sessionId }: { sessionId: string }) {
  const decisions = useQuery(decisionsQuery(sessionId));
  return (
    <WhenReady query={decisions}>
      {({ decisions: found }) =>
        found.length > 0 ? (
          <>
            <h2 className="sr-only">Decisions</h2>
            <ol className="divide-y text-sm">
              {found.toReversed().map(({ id, kind, item, decision, text, created_at }) => (
                <li key={id} className="space-y-1 py-2">
                  <p className="flex flex-wrap items-center gap-2">
                    <Badge tone="accent">{decisionWords(decision)}</Badge>
                    <span className="grow text-muted">{GATE[kind as GateKind] ?? plain(kind)}</span>
                    <span className="text-xs text-muted">
                      <Time at={created_at} />
                    </span>
                  </p>
                  {item && <p>{item}</p>}
                  {text && text !== item && <p className="whitespace-pre-wrap text-muted">{text}</p>}
                </li>
              ))}
            </ol>
          </>
        ) : (
          <Empty title="Nothing was decided yet." icon={<Scale />}>
            Each answer that you give at a question is kept here, for good.
          </Empty>
        )
      }
    </WhenReady>
  );
}
