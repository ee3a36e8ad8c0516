import { useQuery } from "@tanstack/react-query";

import type { DashboardMaterials, Recommendation, Resource } from "@/api/coach";
import { gapsQuery } from "@/api/learning";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";

import type { Part } from "./arrivals";
import { PartReady } from "./PartReady";

const RELEVANCE: Record<Resource["relevance"], string> = {
  direct: "start here",
  deep_dive: "goes deep",
  supplementary: "further reading",
};

export function MaterialsCard({ part, onRetry }: { part: Part<DashboardMaterials>; onRetry: () => void }) {
  const gaps = useQuery(gapsQuery).data;
  const hasNothingToReadUp = gaps?.every(({ addressed }) => addressed) ?? false;
  return (
    <Card title="To read">
      {hasNothingToReadUp ? (
        <p className="text-sm text-muted">
          When a session finds something that was hard, pages that explain it are looked up and listed here.
        </p>
      ) : (
        <PartReady part={part} label="Looking for something to read" onRetry={onRetry}>
          {(found) => <Materials {...found} />}
        </PartReady>
      )}
    </Card>
  );
}

function Materials({ recommendations, offline }: DashboardMaterials) {
  const useful = recommendations.filter(({ resources }) => resources.length > 0);
  if (useful.length === 0) {
    return <p className="text-sm text-muted">Nothing was found about the open gaps this time.</p>;
  }
  return (
    <>
      {offline && (
        <p className="mb-2 text-sm text-muted">
          From the list of official documentation that Bottega ships with; a model would search the web.
        </p>
      )}
      <ul aria-label="Recommendations" className="divide-y">
        {useful.map((recommendation) => (
          <Recommended key={recommendation.knowledgeGap} {...recommendation} />
        ))}
      </ul>
    </>
  );
}

function Recommended({ knowledgeGap, resources, studyOrder, practiceConnection }: Recommendation) {
  return (
    <li className="space-y-2 py-3 text-sm first:pt-0">
      <h3 className="font-medium">About {knowledgeGap}</h3>
      <ul className="space-y-2">
        {resources.map(({ url, title, description, relevance, estimatedTime, type }) => (
          <li key={url}>
            <a href={url} target="_blank" rel="noreferrer" className="text-accent underline break-words">
              {title}
            </a>{" "}
            <Badge>{RELEVANCE[relevance]}</Badge>
            <p className="text-muted">
              {description} {type}, {estimatedTime}.
            </p>
          </li>
        ))}
      </ul>
      {resources.length > 1 && <p className="text-muted">In this order: {studyOrder}</p>}
      {practiceConnection && <p>{practiceConnection}</p>}
    </li>
  );
}
