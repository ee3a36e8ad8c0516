import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { SessionKind } from "@/api/schema";

export const ROOMS: Record<SessionKind, string> = {
  coaching: "Coach",
  agent: "Board",
  assistant: "Assistant",
  research: "Research",
};

const LINK = "text-accent underline";

type SessionLinkProps = { room: SessionKind; id: string; children: ReactNode };

/** To the page of a session, in whichever room it took place. */
export function SessionLink({ room, id, children }: SessionLinkProps) {
  switch (room) {
    case "coaching":
      return (
        <Link to="/coach/sessions/$id" params={{ id }} className={LINK}>
          {children}
        </Link>
      );
    case "agent":
      return (
        <Link to="/board/sessions/$id" params={{ id }} className={LINK}>
          {children}
        </Link>
      );
    case "assistant":
      return (
        <Link to="/assistant/sessions/$id" params={{ id }} className={LINK}>
          {children}
        </Link>
      );
    case "research":
      return (
        <Link to="/research" className={LINK}>
          {children}
        </Link>
      );
  }
}

/** What other rooms remember in their own way. */
export function Elsewhere() {
  return (
    <p className="text-sm text-muted">
      Also remembered elsewhere:{" "}
      <Link to="/board/knowledge" className={LINK}>
        the board’s knowledge
      </Link>
      ,{" "}
      <Link to="/assistant" className={LINK}>
        the assistant’s memory files
      </Link>{" "}
      and{" "}
      <Link to="/journal/values" className={LINK}>
        the journal’s values
      </Link>
      . A search by meaning looks there too.
    </p>
  );
}
