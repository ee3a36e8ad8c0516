import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { holderQuery } from "@/api/changes";
import type { Liveness } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";
import { Time } from "@/components/Time";

const TONES: Record<Liveness, Tone> = { active: "good", slow: "warn", stale: "bad" };

/** The agent's session: how lively it is, and until when the change is its own. */
export function Holder({ session, isHeld }: { session: string; isHeld: boolean }) {
  const { data } = useQuery(holderQuery(session));
  return (
    <div className="space-y-0.5">
      <p className="flex flex-wrap items-center gap-2">
        <Link
          to="/board/sessions/$id"
          params={{ id: session }}
          className="text-accent underline underline-offset-2"
        >
          {data?.client_session_id ?? `Session ${session.slice(0, 8)}`}
        </Link>
        {data && <Badge tone={TONES[data.liveness]}>{data.liveness}</Badge>}
      </p>
      {data && (
        <p className="text-muted">
          Heard of <Time at={data.seen_at} />
          {isHeld && data.lease && (
            <>
              ; it keeps the change until {clockTime(data.lease.expires_at)}, longer if it is heard of again
            </>
          )}
          .
        </p>
      )}
    </div>
  );
}

function clockTime(at: string): string {
  return new Date(at).toLocaleTimeString(undefined, { timeStyle: "short" });
}
