import { Link } from "@tanstack/react-router";

import type { Hit, Results } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Empty, Notice } from "@/components/States";
import { plural } from "@/lib/words";

import { ParagraphText } from "./ParagraphText";
import { foundBy } from "./wording";

export function Hits({ name, results }: { name: string; results: Results }) {
  const { hits, degraded, expanded_by = [] } = results;
  if (!hits.length) {
    return <Empty title="Nothing was found">Try other words, or look in all documents.</Empty>;
  }
  const best = hits[0]?.score ?? 1;
  return (
    <section aria-label="Results" className="space-y-3">
      {degraded && <Notice tone="warn">{degraded}</Notice>}
      <h2 className="text-sm text-muted">
        {plural(hits.length, "paragraph")}, best first
        {expanded_by.length > 0 && `; also looked for what is meant by ${expanded_by.join(", ")}`}
      </h2>
      <ol className="space-y-3">
        {hits.map((hit) => (
          <HitCard key={hit.paragraph.id} name={name} hit={hit} share={hit.score / best} />
        ))}
      </ol>
    </section>
  );
}

function HitCard({ name, hit, share }: { name: string; hit: Hit; share: number }) {
  const { ref, document, headings, text } = hit.paragraph;
  return (
    <li className="rounded-lg border bg-surface p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="min-w-0 font-semibold break-words">
          <Link
            to="/libraries/$name/paragraphs/$ref"
            params={{ name, ref }}
            className="text-accent underline-offset-2 hover:underline"
          >
            {ref}
          </Link>
        </h3>
        <p className="text-sm text-muted">{[document, ...headings.slice(-1)].join(" › ")}</p>
      </div>
      <ParagraphText text={text} className="mt-1" />
      <div className="mt-2 flex flex-wrap items-center gap-1.5 text-sm text-muted">
        Found by
        {hit.paths.map((path) => {
          const { word, about } = foundBy(path);
          return (
            <Badge key={path} tone="info" title={about}>
              {word}
            </Badge>
          );
        })}
        <Score score={hit.score} share={share} />
      </div>
    </li>
  );
}

/** How good a hit is beside the best one: scores of two searches cannot be compared. */
function Score({ score, share }: { score: number; share: number }) {
  return (
    <span className="ml-auto flex items-center gap-2">
      <span aria-hidden className="h-1.5 w-16 overflow-hidden rounded bg-sunken">
        <span className="block h-full bg-accent" style={{ width: `${Math.round(share * 100)}%` }} />
      </span>
      score {score.toFixed(3)}
    </span>
  );
}
