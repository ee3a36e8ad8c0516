import { useQuery } from "@tanstack/react-query";

import { coachIssuesQuery, issueFitQuery } from "@/api/coaching";
import type { Issue, RankedIssue } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";
import { Button } from "@/components/Button";
import { WhenReady } from "@/components/States";

const FITS: Record<RankedIssue["suitability"], { words: string; tone: Tone }> = {
  good_fit: { words: "good fit", tone: "good" },
  stretch: { words: "a stretch", tone: "info" },
  too_advanced: { words: "too advanced yet", tone: "warn" },
};

type Props = { onChoose: (number: number) => void; chosen?: number };

/** The project's issues; how well each fits is added when it is known, best first. */
export function IssueChoice({ onChoose, chosen }: Props) {
  const issues = useQuery(coachIssuesQuery);
  const hasIssues = Boolean(issues.data?.issues.length);
  const fits = useQuery({ ...issueFitQuery, enabled: hasIssues }).data?.issues ?? [];
  const rank = ({ number }: Issue) => {
    const at = fits.findIndex((fit) => fit.number === number);
    return at < 0 ? fits.length : at;
  };

  return (
    <section aria-labelledby="choose-an-issue" className="space-y-2">
      <h2 id="choose-an-issue" className="font-semibold">
        Or choose an issue
      </h2>
      <WhenReady query={issues} lines={4}>
        {({ issues: found, note }) => (
          <>
            {found.length === 0 && (
              <p className="text-sm text-muted">
                No open issues were found. Put one into <code>issues/1-a-title.md</code> of the project, or
                say above what you want to do.
              </p>
            )}
            <ul className="space-y-2">
              {[...found]
                .sort((one, other) => rank(one) - rank(other))
                .map((issue) => (
                  <IssueLine
                    key={issue.number}
                    issue={issue}
                    fit={fits.find(({ number }) => number === issue.number)}
                    isBusy={chosen === issue.number}
                    onChoose={() => onChoose(issue.number)}
                  />
                ))}
            </ul>
            {note && (
              <p className="text-xs text-muted">
                {found.length > 0 && "From the project's own folder of issues. "}
                {note}
              </p>
            )}
          </>
        )}
      </WhenReady>
    </section>
  );
}

type LineProps = { issue: Issue; fit?: RankedIssue; isBusy: boolean; onChoose: () => void };

function IssueLine({ issue, fit, isBusy, onChoose }: LineProps) {
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 rounded-lg border bg-surface p-3">
      <div className="min-w-52 grow basis-0">
        <h3 className="font-medium">
          <span className="text-muted">#{issue.number}</span> {issue.title}
        </h3>
        {fit?.suitabilityReason && <p className="text-sm text-muted">{fit.suitabilityReason}</p>}
        <div className="mt-1 flex flex-wrap gap-1">
          {fit && <Badge tone={FITS[fit.suitability].tone}>{FITS[fit.suitability].words}</Badge>}
          {issue.labels?.map((label) => (
            <Badge key={label}>{label}</Badge>
          ))}
        </div>
      </div>
      <Button isBusy={isBusy} onClick={onChoose}>
        Work on it <span className="sr-only">(issue {issue.number})</span>
      </Button>
    </li>
  );
}
