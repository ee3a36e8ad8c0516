import { Link } from "@tanstack/react-router";

import type { AssistantSessionView, TurnView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { money } from "@/lib/words";

import { commandTitle, ENDING, GATE, TURN } from "../words";

type Props = { session: AssistantSessionView; turns: readonly TurnView[] };

export function SessionLead({ session, turns }: Props) {
  const newest = turns.at(-1);
  const spent = turns.reduce((sum, turn) => sum + (turn.result?.cost ?? 0), 0);
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link to="/assistant" className="text-accent underline">
        All sessions
      </Link>
      {newest && <Status turn={newest} />}
      <span>{commandTitle(session.command ?? session.plugin)}</span>
      <span>by {session.agent}</span>
      {session.class_id && <span>for {session.class_id}</span>}
      {spent > 0 && <span>{money(spent)}</span>}
    </p>
  );
}

function Status({ turn }: { turn: TurnView }) {
  const [words, tone] =
    turn.result && turn.result.status !== "success" ? ENDING[turn.result.status] : TURN[turn.status];
  return (
    <span role="status">
      <Badge tone={tone}>{turn.gate ? `${words}: ${GATE[turn.gate.kind]}` : words}</Badge>
    </span>
  );
}
