import type { Verification } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";
import { percent, plural } from "@/lib/words";

const AXES = [
  ["citation_accuracy", "Citations", "Sentences that the paragraphs they cite bear out."],
  ["entity_grounding", "What is named", "Names, numbers and terms that stand in the sources."],
  ["relation_preservation", "Relations", "Who must do what to whom is as the sources say it."],
] as const;

const TONES: Record<Verification["confidence"], Tone> = { high: "good", medium: "warn", low: "bad" };

/** How the answer did on each axis, against what was needed. */
export function Scores({ verification }: { verification: Verification }) {
  const { scores, needed, confidence, missed } = verification;
  const found = scores.contradictions;

  return (
    <section aria-labelledby="verification">
      <div className="mb-2 flex flex-wrap items-baseline gap-2">
        <h3 id="verification" className="font-semibold">
          How it was checked
        </h3>
        <Badge tone={TONES[confidence]}>{confidence} confidence</Badge>
      </div>
      <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-2">
        {AXES.map(([axis, name, about]) => (
          <div key={axis}>
            <dt className="flex justify-between gap-2">
              <span className="font-medium">{name}</span>
              <span>
                {percent(scores[axis])} <span className="text-muted">({percent(needed[axis])} needed)</span>
              </span>
            </dt>
            <dd>
              <Bar share={scores[axis]} isEnough={scores[axis] >= needed[axis]} />
              <span className="text-muted">{about}</span>
            </dd>
          </div>
        ))}
        <div>
          <dt className="flex justify-between gap-2">
            <span className="font-medium">Contradictions</span>
            <span>{found === 0 ? "none found" : plural(found, "found", "found")}</span>
          </dt>
          <dd>
            <Bar share={found === 0 ? 1 : 0} isEnough={found <= needed.max_contradictions} />
            <span className="text-muted">Sources that say the opposite of the answer, or of each other.</span>
          </dd>
        </div>
      </dl>
      {missed.length > 0 && (
        <ul className="mt-3 list-disc pl-5 text-sm text-warn">
          {missed.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Bar({ share, isEnough }: { share: number; isEnough: boolean }) {
  return (
    <span aria-hidden className="my-1 block h-1.5 overflow-hidden rounded-full bg-sunken">
      <span
        className={`block h-full rounded-full ${isEnough ? "bg-good" : "bg-bad"}`}
        style={{ width: `${Math.max(2, share * 100)}%` }}
      />
    </span>
  );
}
