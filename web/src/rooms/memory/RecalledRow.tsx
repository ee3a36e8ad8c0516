import { Link } from "@tanstack/react-router";

import type { RecalledView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Time } from "@/components/Time";
import { percent, plain } from "@/lib/words";

import { EditOrForget } from "./EditOrForget";

/** Where what other rooms remember is seen and corrected. */
const ELSEWHERE = {
  project_memory: { name: "the board’s project knowledge", to: "/board/knowledge" },
  global_knowledge: { name: "the board’s global knowledge", to: "/board/knowledge" },
  experiences: { name: "the journal’s lessons", to: "/journal" },
  values: { name: "the journal’s values", to: "/journal/values" },
  memory_files: { name: "the assistant’s memory files", to: "/assistant" },
} as const;

export function RecalledRow({ item }: { item: RecalledView }) {
  return (
    <article className="space-y-1.5 text-sm">
      <div className="flex items-start gap-3">
        <Score {...item} />
        <p className="min-w-0 grow break-words whitespace-pre-wrap">{item.content}</p>
      </div>
      {item.evidence && <p className="break-words text-muted">Rests on: {item.evidence}</p>}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <span>{percent(item.relevance)} near in meaning</span>
        <Badge>{item.importance} importance</Badge>
        <span className="break-all">{item.project ?? "everywhere"}</span>
        <Time at={item.updated_at} />
        {item.store === "memories" ? (
          <span className="ml-auto flex gap-1">
            <EditOrForget {...item} />
          </span>
        ) : (
          <Place store={item.store} />
        )}
      </div>
    </article>
  );
}

function Score({ score }: RecalledView) {
  return (
    <span className="shrink-0 rounded bg-accent-soft px-1.5 py-0.5 font-medium text-accent tabular-nums">
      <span className="sr-only">Score </span>
      {score.toFixed(2)}
    </span>
  );
}

function Place({ store }: { store: string }) {
  const place = ELSEWHERE[store as keyof typeof ELSEWHERE];
  if (!place) return <span>from {plain(store)}</span>;
  return (
    <span>
      from{" "}
      <Link to={place.to} className="text-accent underline">
        {place.name}
      </Link>
    </span>
  );
}
