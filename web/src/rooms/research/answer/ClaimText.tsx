import { Link } from "@tanstack/react-router";

import type { DeliveredClaim, ResearchAnswer } from "@/api/schema";
import { Badge } from "@/components/Badge";

import { CiteChip } from "./CiteChip";

type Props = { answer: ResearchAnswer; claim: DeliveredClaim; number: number };

/** One sentence, and a chip for each thing it rests on. */
export function ClaimText({ answer, claim, number }: Props) {
  return (
    <p>
      {claim.text}{" "}
      <span className="inline-flex flex-wrap gap-1 align-baseline">
        {claim.citations.map((reference) => (
          <CiteChip key={reference} answer={answer} reference={reference} claim={number} />
        ))}
        {claim.labels.map((label) => (
          <Label key={label} answer={answer} label={label} />
        ))}
      </span>
      {claim.is_unconfirmed && (
        <Badge tone="warn" title="It could not be decided whether its sources support it.">
          not confirmed
        </Badge>
      )}
    </p>
  );
}

const SHAPE = "rounded bg-info-soft px-1.5 text-xs leading-5 text-info hover:underline";

/** A page of the web (`W1`) or an earlier answer (`P1`) that says the same. */
function Label({ answer, label }: { answer: ResearchAnswer; label: string }) {
  const page = answer.web_sources.find((each) => each.label === label);
  const prior = answer.prior.find((each) => each.label === label);
  if (page) {
    return (
      <a href={page.url} target="_blank" rel="noreferrer" title={page.title} className={SHAPE}>
        {label}
      </a>
    );
  }
  return prior ? (
    <Link to="/research/runs/$id" params={{ id: prior.run_id }} title={prior.heading} className={SHAPE}>
      {label}
    </Link>
  ) : (
    <span className={SHAPE}>{label}</span>
  );
}
