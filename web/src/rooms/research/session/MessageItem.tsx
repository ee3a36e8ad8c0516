import { Link } from "@tanstack/react-router";

import type { MessageView } from "@/api/schema";
import { Markdown } from "@/components/Markdown";
import { Time } from "@/components/Time";
import { classes } from "@/lib/classes";

/** One thing that was said. What a run answered is read on the run's own page. */
export function MessageItem({ message }: { message: MessageView }) {
  const isMine = message.role === "user";
  const { type, run_id } = message.content;
  const run = typeof run_id === "string" ? run_id : undefined;

  return (
    <li
      className={classes(
        "max-w-prose rounded-md p-3 text-sm",
        isMine ? "ml-auto bg-accent-soft" : "bg-sunken",
      )}
    >
      <p className="mb-1 text-xs text-muted">
        {isMine ? "You" : "Bottega"} · <Time at={message.created_at} />
      </p>
      {type === "answer" ? <p>The research has ended.</p> : <Markdown text={message.text} />}
      {run && (type === "answer" || type === "question") && (
        <p className="mt-1">
          <Link to="/research/runs/$id" params={{ id: run }} className="text-accent underline">
            {type === "answer" ? "Read what it came to" : "Open this research"}
          </Link>
        </p>
      )}
    </li>
  );
}
