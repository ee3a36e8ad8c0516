import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";

import { entryQuery, JOURNAL } from "@/api/journal";
import { useRefresh } from "@/api/live";
import type { EntryView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Page } from "@/components/Page";
import { WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { percent } from "@/lib/words";

import { Outcome, Tier } from "./Outcome";
import { LabelledTexts } from "./LabelledTexts";
import { CAUSES, DOMAINS, STRATEGIES } from "./words";

const route = getRouteApi("/journal/entries/$id");

export function EntryPage() {
  const { id } = route.useParams();
  useRefresh(["journal.*"], [...JOURNAL, "entry", id]);
  const entry = useQuery(entryQuery(id));
  return (
    <Page
      title={entry.data?.goal ?? "Entry"}
      lead={
        <Link to="/journal" className="text-accent underline">
          All entries
        </Link>
      }
    >
      <WhenReady query={entry}>{(found) => <Entry entry={found} />}</WhenReady>
    </Page>
  );
}

function Entry({ entry }: { entry: EntryView }) {
  return (
    <div className="space-y-4">
      <Card
        title="Prediction"
        note={
          <span className="flex items-center gap-2">
            {DOMAINS[entry.domain]} <Time at={entry.created_at} />
          </span>
        }
      >
        <LabelledTexts
          parts={[
            ["Hypothesis", entry.hypothesis],
            ["Action", entry.action],
            ["Prediction", entry.prediction],
            ["Way", STRATEGIES[entry.strategy]],
            ["Sure", entry.confidence !== null && percent(entry.confidence)],
          ]}
        />
      </Card>
      <Card
        title="Outcome"
        note={
          <span className="flex items-center gap-2">
            <Tier tier={entry.confidence_tier} />
            <Outcome status={entry.outcome_status} />
            {entry.resolved_at && <Time at={entry.resolved_at} />}
          </span>
        }
      >
        {entry.outcome_status === null ? (
          <p className="text-muted">It is still open.</p>
        ) : (
          <LabelledTexts
            parts={[
              ["Happened", entry.outcome_result],
              ["Surprising", entry.surprise],
              [
                "Because",
                entry.root_cause && `${CAUSES[entry.root_cause.category]}: ${entry.root_cause.description}`,
              ],
              ["Worked", entry.lesson?.what_worked],
              ["Takeaway", entry.lesson?.takeaway],
            ]}
          />
        )}
      </Card>
      {entry.evidence.length > 0 && <EvidenceCard evidence={entry.evidence} />}
      {entry.history.length > 0 && <Attempts history={entry.history} />}
    </div>
  );
}

function EvidenceCard({ evidence }: Pick<EntryView, "evidence">) {
  return (
    <Card title="Tests and builds that ran">
      <ul className="space-y-2">
        {evidence.map(({ command, passed, kind, summary }, index) => (
          <li key={index}>
            <Badge tone={passed ? "good" : "bad"}>{passed ? `${kind} passed` : `${kind} failed`}</Badge>{" "}
            <code className="font-mono text-sm break-all">{command}</code>
            {summary && <p className="text-sm text-muted">{summary}</p>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Attempts({ history }: Pick<EntryView, "history">) {
  return (
    <Card title="Earlier attempts">
      <ol className="space-y-4">
        {history.map((attempt, index) => (
          <li key={index} className="border-l-2 pl-4">
            <h3 className="mb-1 text-sm font-medium">
              {index + 1}. until <Time at={attempt.until} />
            </h3>
            <LabelledTexts
              parts={[
                ["Hypothesis", attempt.hypothesis],
                ["Action", attempt.action],
                ["Prediction", attempt.prediction],
                ["Then", attempt.note],
              ]}
            />
          </li>
        ))}
      </ol>
    </Card>
  );
}
