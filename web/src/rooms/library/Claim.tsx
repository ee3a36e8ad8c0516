import { Link } from "@tanstack/react-router";

import type { CheckedClaim, CitationDetail } from "@/api/schema";
import { Badge } from "@/components/Badge";

import { ParagraphText } from "./ParagraphText";

/** A sentence, whether it holds, and the paragraph that says so. */
export function Claim({ library, sentence, cites, best }: CheckedClaim & { library: string }) {
  const holds = best?.supports_claim ?? false;
  return (
    <li className="rounded-lg border bg-surface p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 grow basis-60 font-medium break-words">{sentence}</p>
        <Badge tone={holds ? "good" : "bad"}>{judgement(holds, cites, best)}</Badge>
      </div>
      {best?.reasons?.map((reason) => (
        <p key={reason} className="mt-1 text-sm text-bad">
          {reason}
        </p>
      ))}
      {best?.paragraph_ref && best.source_text && (
        <blockquote className="mt-2 border-l-4 pl-3 text-sm text-muted">
          <Link
            to="/libraries/$name/paragraphs/$ref"
            params={{ name: library, ref: best.paragraph_ref }}
            className="text-accent underline underline-offset-2"
          >
            {best.paragraph_ref}
          </Link>
          <ParagraphText text={best.source_text} />
        </blockquote>
      )}
    </li>
  );
}

export function judgement(holds: boolean, cites: readonly string[], best: CitationDetail | null): string {
  if (holds) return cites.length ? "holds" : "holds, though it cites nothing";
  if (!best) return "nothing here is near to it";
  if (best.error_category === "NOT_FOUND" || best.error_category === "SUB_PARA_NOT_FOUND") {
    return "cites what is not there";
  }
  return cites.length ? "its source does not say so" : "nothing here bears it out";
}
