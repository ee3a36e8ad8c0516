import type { Importance, MemoryView, SessionCount } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Time } from "@/components/Time";
import { plural } from "@/lib/words";

import { useMemoryChanges } from "./changes";
import { EditOrForget } from "./EditOrForget";
import { ROOMS, SessionLink } from "./places";
import { useMemorySearch } from "./useMemorySearch";

const TONES: Record<Importance, Tone> = { high: "accent", medium: "neutral", low: "neutral" };

export function MemoryRow({ memory, from }: { memory: MemoryView; from: SessionCount | undefined }) {
  const { change } = useMemorySearch();
  return (
    <article className="space-y-1.5 px-4 py-3 text-sm">
      <p className="break-words whitespace-pre-wrap">{memory.content}</p>
      {memory.evidence && <p className="break-words text-muted">Rests on: {memory.evidence}</p>}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <Badge tone={TONES[memory.importance]}>{memory.importance} importance</Badge>
        <span className="break-all">{memory.project ?? "everywhere"}</span>
        <From memory={memory} from={from} />
        <Time at={memory.created_at} />
        {memory.use_count > 0 && <span>used {plural(memory.use_count, "time")}</span>}
        {!memory.searchable && !memory.forgotten_at && <Badge tone="warn">not indexed by meaning yet</Badge>}
        {memory.tags.map((tag) => (
          <button
            key={tag}
            type="button"
            className="max-w-40 truncate text-accent underline"
            aria-label={`Only those with the tag ${tag}`}
            onClick={() => change({ tag })}
          >
            {tag}
          </button>
        ))}
        <RowActions memory={memory} />
      </div>
    </article>
  );
}

function From({ memory, from }: { memory: MemoryView; from: SessionCount | undefined }) {
  const { change } = useMemorySearch();
  if (!memory.session_id) return <span>entered directly</span>;
  return (
    <span>
      {from?.room ? (
        <SessionLink room={from.room} id={memory.session_id}>
          {ROOMS[from.room]}
          {from.title && `: ${from.title}`}
        </SessionLink>
      ) : (
        "an agent’s session"
      )}{" "}
      <button
        type="button"
        className="text-accent underline"
        onClick={() => change({ session: memory.session_id ?? undefined })}
      >
        (only this)
      </button>
    </span>
  );
}

function RowActions({ memory }: { memory: MemoryView }) {
  const { restore } = useMemoryChanges();
  return (
    <span className="ml-auto flex gap-1">
      {memory.forgotten_at ? (
        <Button
          isBusy={restore.isPending}
          onClick={() => restore.mutate(memory.id)}
          aria-label={`Restore: ${memory.content.slice(0, 60)}`}
        >
          Restore
        </Button>
      ) : (
        <EditOrForget {...memory} />
      )}
    </span>
  );
}
