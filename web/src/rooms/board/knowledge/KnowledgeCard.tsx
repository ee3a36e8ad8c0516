import { useState } from "react";

import { answer, rest } from "@/api/client";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Time } from "@/components/Time";
import { plain, plural } from "@/lib/words";

import { ProjectName } from "../ProjectName";
import { useDoing } from "../useDoing";
import { EditKnowledge } from "./EditKnowledge";
import { MoveKnowledge } from "./MoveKnowledge";
import { HANDED_OVER_FROM, type Item, tierOf, weightOf } from "./tiers";

/** One thing known, and what can be done with it. */
export function KnowledgeCard({ item }: { item: Item }) {
  const [isEditing, setIsEditing] = useState(false);
  const restore = useDoing(
    (deleted: Item) => answer(rest.POST("/api/board/knowledge/restore", { body: deleted })),
    { done: () => "It is back." },
  );
  const remove = useDoing(
    () =>
      answer(
        rest.DELETE("/api/board/knowledge/{tier}/{id}", {
          params: { path: { tier: tierOf(item), id: item.id } },
        }),
      ),
    { done: () => "Deleted.", undo: (deleted) => () => restore.mutate(deleted) },
  );
  const title = "title" in item ? item.title : "key" in item ? item.key : plain(item.category);
  return (
    <article aria-label={title} className="rounded-lg border bg-surface p-3 text-sm">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="font-medium break-words">{title}</h2>
        <Badge>{plain(item.category)}</Badge>
        <Weight item={item} />
      </header>
      <p className="my-1.5 break-words whitespace-pre-wrap">{item.content}</p>
      <footer className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        {"project_id" in item && <ProjectName id={item.project_id} />}
        {"change_id" in item && <span>of {item.change_id}</span>}
        {"usage_count" in item && <span>used {plural(item.usage_count, "time")}</span>}
        {"success_rate" in item && item.usage_count > 0 && <span>helped in {item.success_rate} %</span>}
        <Time at={item.created_at} />
        <span className="ml-auto flex flex-wrap">
          <MoveKnowledge item={item} />
          <Button kind="quiet" onClick={() => setIsEditing(true)}>
            Edit
          </Button>
          <Button
            kind="quiet"
            className="text-bad"
            isBusy={remove.isPending}
            onClick={() => remove.mutate(undefined)}
          >
            Delete
          </Button>
        </span>
      </footer>
      {isEditing && <EditKnowledge item={item} onClose={() => setIsEditing(false)} />}
    </article>
  );
}

function Weight({ item }: { item: Item }) {
  const weight = weightOf(item);
  if (weight === undefined) return null;
  const isToldToAgents = weight >= HANDED_OVER_FROM;
  return (
    <Badge
      tone={isToldToAgents ? "good" : "neutral"}
      title={isToldToAgents ? "Agents see this" : `Agents see this from weight ${HANDED_OVER_FROM} on`}
    >
      weight {weight} of 10
    </Badge>
  );
}
