import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { sessionsQuery } from "@/api/board";

import { agentName, clockTime } from "./agents";

/** Who holds it, and until when, unless they are heard of before. */
export function LeaseNote({ sessionId }: { sessionId: string }) {
  const session = useQuery(sessionsQuery()).data?.find(({ id }) => id === sessionId);
  return (
    <span>
      held by{" "}
      <Link to="/board/sessions/$id" params={{ id: sessionId }} className="text-accent underline">
        {session ? agentName(session.type, session.id) : "an agent"}
      </Link>
      {session?.lease && (
        <span title="Each heartbeat extends it by ten minutes.">
          {" "}
          until {clockTime(session.lease.expires_at)}
        </span>
      )}
    </span>
  );
}
