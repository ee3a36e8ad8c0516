import { Check, FileText } from "lucide-react";

import { Badge, type Tone } from "@/components/Badge";
import { Markdown } from "@/components/Markdown";
import { Empty } from "@/components/States";
import { classes } from "@/lib/classes";

import { FileLink } from "../files/FileLink";
import { type Draft, type Mark, markOf, piecesOf, withPlainPointers } from "../story/document";

const TONES: Record<Mark, Tone> = {
  accepted: "good",
  "to change": "warn",
  alternatives: "info",
  "to judge": "accent",
};

/** The document as it is by now, each section with what was decided about it. */
export function DocumentView({ draft }: { draft: Draft }) {
  if (!draft.text.trim()) {
    return (
      <Empty title="No document yet." icon={<FileText />}>
        It appears here as soon as there is a draft.
      </Empty>
    );
  }
  return (
    <article aria-label="The document" className="space-y-1 pb-8">
      <h2 className="sr-only">Document</h2>
      {draft.path && (
        <p className="mb-3 text-sm text-muted">
          Saved as <FileLink path={draft.path} />
        </p>
      )}
      {piecesOf(draft.text).map((piece, place) => (
        <Section key={place} text={piece.text} mark={markOf(draft.marks, piece.heading)} />
      ))}
    </article>
  );
}

function Section({ text, mark }: { text: string; mark: Mark | null }) {
  return (
    <section
      className={classes(
        "rounded-md border-l-4 py-1 pl-3",
        mark === "accepted" ? "border-l-good" : mark === null ? "border-l-transparent" : "border-l-warn",
      )}
    >
      {mark && (
        <p className="float-right ml-2">
          <Badge tone={TONES[mark]}>
            {mark === "accepted" && <Check aria-hidden className="size-3" />}
            {mark}
          </Badge>
        </p>
      )}
      <Markdown text={withPlainPointers(text)} className="text-sm" />
    </section>
  );
}
