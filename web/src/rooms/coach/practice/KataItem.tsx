import { Link } from "@tanstack/react-router";

import type { KataSummary } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";
import { plural } from "@/lib/words";

export function KataItem({ kata }: { kata: KataSummary }) {
  const [tone, state] = stateOf(kata);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-3 first:pt-0">
      <div className="min-w-0">
        <Link
          to="/coach/practice/$id"
          params={{ id: kata.id }}
          className="font-medium break-words text-accent underline"
        >
          {kata.title}
        </Link>
        <p className="text-sm text-muted">
          {kata.topic}
          {kata.bestLevel !== null && ` · best level ${kata.bestLevel} of 10`}
          {kata.constraintCount > 0 && ` · ${plural(kata.constraintCount, "harder way", "harder ways")}`}
        </p>
      </div>
      <Badge tone={tone}>{state}</Badge>
    </li>
  );
}

function stateOf({ solved, attemptsCount }: KataSummary): [Tone, string] {
  if (solved) return ["good", "solved"];
  return attemptsCount > 0 ? ["warn", `tried ${plural(attemptsCount, "time")}`] : ["info", "new"];
}
