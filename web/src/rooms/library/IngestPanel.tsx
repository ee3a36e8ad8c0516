import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useState } from "react";

import { ingestEvents, librariesQuery } from "@/api/library";
import type { IngestProgress, IngestReport, RunStatus } from "@/api/schema";
import { type Frame, useStream } from "@/api/stream";
import { Badge } from "@/components/Badge";
import { IconButton } from "@/components/Button";
import { Loading, Problem } from "@/components/States";
import { plural } from "@/lib/words";

import { reasonWord, shownPath } from "./wording";

const FINAL: readonly RunStatus[] = ["completed", "failed", "cancelled"];

function isOver({ data }: Frame): boolean {
  return FINAL.includes((data as IngestProgress).status);
}

/** How far the documents of one run are, as it happens, and what came of them. */
export function IngestPanel({ name, runId }: { name: string; runId: string }) {
  const [progress, setProgress] = useState<IngestProgress>();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const stream = useStream(ingestEvents(name, runId), {
    onFrame: (frame) => {
      setProgress(frame.data as IngestProgress);
      if (!isOver(frame)) return;
      void queries.invalidateQueries({ queryKey: ["library", name] });
      void queries.invalidateQueries(librariesQuery);
    },
    isLast: isOver,
  });

  return (
    <section aria-label="Reading documents" className="mb-4 rounded-lg border bg-surface p-4">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0 grow space-y-2" aria-live="polite">
          {progress ? <ReadingProgress {...progress} /> : <Waiting isGone={stream === "ended"} />}
        </div>
        <IconButton
          label="Close this report"
          onClick={() =>
            void navigate({
              from: "/libraries/$name/",
              to: "/libraries/$name",
              params: { name },
              search: ({ ingest: _, ...rest }) => rest,
            })
          }
        >
          <X className="size-4" />
        </IconButton>
      </div>
    </section>
  );
}

function Waiting({ isGone }: { isGone: boolean }) {
  return isGone ? (
    <p className="text-sm text-muted">This report is no longer kept.</p>
  ) : (
    <Loading lines={1} label="Asking how far it is" />
  );
}

function ReadingProgress({ status, done, total, report, error }: IngestProgress) {
  if (status === "failed") return <Problem error={new Error(error ?? "It could not be finished.")} />;
  const isDone = FINAL.includes(status);
  return (
    <>
      <p className="font-medium">
        {isDone ? summary(report) : `Reading documents: ${done} of ${total || "…"}`}
      </p>
      {!isDone && (
        <progress
          aria-label="Documents read"
          className="h-2 w-full accent-(--accent)"
          {...(total ? { value: done, max: total } : {})}
        />
      )}
      {report.rejected?.map(({ path, reason, message }) => (
        <p key={path} className="text-sm">
          <Badge tone="bad">{reasonWord(reason)}</Badge>{" "}
          <span className="break-words">{shownPath(message)}</span>
        </p>
      ))}
      {report.skipped?.map(({ path, message }) => (
        <p key={path} className="text-sm text-muted">
          {shownPath(message)}
        </p>
      ))}
      {report.problems?.map(({ path, message }) => (
        <p key={`${path} ${message}`} className="text-sm text-muted">
          {shownPath(path)}: {message}
        </p>
      ))}
    </>
  );
}

/** `3 documents added, 1 unchanged and skipped, 1 could not be read.` */
export function summary(report: IngestReport): string {
  const { added = 0, replaced = 0, unchanged = 0, removed = 0, rejected = [], skipped = [] } = report;
  const parts = [
    added && `${plural(added, "document")} added`,
    replaced && `${replaced} brought up to date`,
    unchanged && `${unchanged} unchanged and skipped`,
    removed && `${removed} removed`,
    skipped.length && `${skipped.length} left out`,
    rejected.length && `${rejected.length} could not be read`,
  ].filter(Boolean);
  return parts.length ? `${parts.join(", ")}.` : "There was nothing to read.";
}
