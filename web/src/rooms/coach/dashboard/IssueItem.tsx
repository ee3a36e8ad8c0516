import type { RankedIssue } from "@/api/coach";
import { Badge, type Tone } from "@/components/Badge";
import { Button } from "@/components/Button";

const FITS: Record<RankedIssue["suitability"], [Tone, string]> = {
  good_fit: ["good", "Good fit"],
  stretch: ["warn", "A stretch"],
  too_advanced: ["neutral", "For later"],
};

type Props = { issue: RankedIssue; isBusy: boolean; onWork: () => void };

export function IssueItem({ issue, isBusy, onWork }: Props) {
  const [tone, fit] = FITS[issue.suitability];
  const why = reasons(issue);
  return (
    <li className="space-y-1.5 py-4 first:pt-1">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <h3 className="min-w-0 grow basis-60 font-medium break-words">
          <span className="text-muted">#{issue.number}</span> {issue.title}
        </h3>
        <Button disabled={isBusy} onClick={onWork} aria-label={`Work on this: ${issue.title}`}>
          Work on this
        </Button>
      </div>
      <p className="text-sm">{issue.summary}</p>
      <p className="text-sm text-muted">
        {issue.suitabilityReason}
        {why.length > 0 && ` ${why.join(" ")}`}
      </p>
      <ul aria-label={`About #${issue.number}`} className="flex flex-wrap gap-1.5">
        <li>
          <Badge tone={tone}>{fit}</Badge>
        </li>
        <li>
          <Badge tone="info">{issue.estimatedDifficulty}</Badge>
        </li>
        {[...new Set([...issue.labels, ...issue.relevantSkills, ...issue.learningOpportunities])].map(
          (label) => (
            <li key={label} className="max-w-full">
              <Badge>{label}</Badge>
            </li>
          ),
        )}
      </ul>
    </li>
  );
}

/** What speaks for it besides its difficulty. */
function reasons({ priorityFactors }: RankedIssue): string[] {
  return [
    priorityFactors.userTagged && "You are named in it.",
    priorityFactors.similarToRecentWork && "It is close to what you did lately.",
    priorityFactors.addressesKnowledgeGap && "It trains something you found hard.",
    priorityFactors.teamUrgency === "high" && "It is urgent.",
  ].filter((reason) => reason !== false);
}
