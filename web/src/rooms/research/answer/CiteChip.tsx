import { getRouteApi, Link } from "@tanstack/react-router";

import type { ResearchAnswer } from "@/api/schema";
import { classes } from "@/lib/classes";

const route = getRouteApi("/research/runs/$id");

type Props = {
  answer: ResearchAnswer;
  reference: string;
  /** The number of the sentence that rests on it, to mark the words that bear it out. */
  claim?: number;
};

/** Opens the cited paragraph beside the answer. */
export function CiteChip({ answer, reference, claim }: Props) {
  const { id } = route.useParams();
  const shown = route.useSearch();
  const isShown = shown.cite === reference && shown.claim === claim;
  const cited = answer.citations.find((each) => each.ref === reference);

  return (
    <Link
      to="/research/runs/$id"
      params={{ id }}
      search={{ cite: reference, claim }}
      resetScroll={false}
      title={cited ? `${cited.document}, ${reference}` : reference}
      aria-current={isShown ? "true" : undefined}
      className={classes(
        "rounded px-1.5 text-xs leading-5 hover:underline",
        isShown ? "bg-accent text-accent-ink" : "bg-accent-soft text-accent",
      )}
    >
      {reference}
    </Link>
  );
}
