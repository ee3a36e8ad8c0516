import { Link } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useState } from "react";

import type { ListedSession } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { IconButton } from "@/components/Button";
import { Time } from "@/components/Time";

import { commandTitle, GATE, TURN } from "../words";
import { DeleteSession } from "./DeleteSession";

export function SessionRow({ session }: { session: ListedSession }) {
  const [isDeleting, setDeleting] = useState(false);
  const [words, tone] = session.turn ? TURN[session.turn] : ["new", "neutral" as const];
  const title = session.title ?? "Without a title";

  return (
    <li className="flex items-start gap-2 px-2 py-2.5">
      <div className="min-w-0 grow">
        <Link
          to="/assistant/sessions/$id"
          params={{ id: session.id }}
          className="font-medium break-words hover:underline"
        >
          {title}
        </Link>
        <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
          <Badge tone={tone}>{session.asks ? `${words}: ${GATE[session.asks]}` : words}</Badge>
          <span>{commandTitle(session.command ?? session.agent)}</span>
          {session.class_id && <span>{session.class_id}</span>}
          <Time at={session.updated_at} />
        </p>
      </div>
      <IconButton label={`Delete “${title}”`} onClick={() => setDeleting(true)}>
        <Trash2 className="size-4 text-muted" />
      </IconButton>
      {isDeleting && <DeleteSession session={session} onClose={() => setDeleting(false)} />}
    </li>
  );
}
