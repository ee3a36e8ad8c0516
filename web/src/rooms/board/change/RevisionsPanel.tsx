import { useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { useState } from "react";

import { restoreRevision, revisionsQuery } from "@/api/changes";
import type { RevisionView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { toast, toastError } from "@/components/Toasts";

import { MergePanes } from "./MergePanes";
import type { PanelProps } from "./Panel";
import { textOf } from "./texts";
import { useChangeMutation } from "./useChange";

const REASONS: Record<string, string> = {
  conflict: "lost against another text",
  edited: "was edited",
  restored: "gave way to a restored one",
  deleted: "its file was deleted",
};

/** Texts that lost against others: nothing that somebody wrote is gone. */
export function RevisionsPanel({ at, change }: PanelProps) {
  return (
    <WhenReady query={useQuery(revisionsQuery(at))} lines={5}>
      {({ revisions }) => (
        <Card title="Revisions" note={revisions.length > 0 && "Texts that gave way to others, newest first"}>
          {revisions.length === 0 ? (
            <Empty title="No text was replaced yet." icon={<History className="size-5" />}>
              When a text is edited, or loses against another one, the old one is kept here.
            </Empty>
          ) : (
            <ul className="divide-y">
              {revisions.map((revision) => (
                <Revision key={revision.id} at={at} change={change} revision={revision} />
              ))}
            </ul>
          )}
        </Card>
      )}
    </WhenReady>
  );
}

function Revision({ at, change, revision }: PanelProps & { revision: RevisionView }) {
  const [isOpen, setOpen] = useState(false);
  const restore = useChangeMutation(
    at,
    () => restoreRevision(at, revision.id),
    (saved) => saved.change,
  );
  const now = textOf(change, revision.file);
  const isSame = now === revision.content && change.missing_since === null;

  return (
    <li className="py-2.5 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 grow">
          <code className="font-mono break-all">{revision.file}</code>{" "}
          <span className="text-muted">
            {REASONS[revision.reason] ?? revision.reason}, <Time at={revision.created_at} />
          </span>{" "}
          {isSame && <Badge tone="good">same as now</Badge>}
        </p>
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide" : "Compare"}
        </Button>
        <Button
          isBusy={restore.isPending}
          disabled={isSame || change.status === "archived"}
          onClick={() =>
            restore.mutate(undefined, {
              onSuccess: () => toast(`Restored. What ${revision.file} said is now a revision itself.`),
              onError: toastError,
            })
          }
        >
          Restore
        </Button>
      </div>
      {isOpen && (
        <div className="mt-3">
          <MergePanes
            left={{ label: "This revision", text: revision.content }}
            right={{ label: "As it is now", text: now }}
          />
        </div>
      )}
    </li>
  );
}
