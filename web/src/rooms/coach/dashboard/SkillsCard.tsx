import { useQuery } from "@tanstack/react-query";

import { radarQuery } from "@/api/learning";
import type { AssessedSkill, DreyfusRadar } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { percent } from "@/lib/words";

import { SkillsRadar } from "./SkillsRadar";
import { STAGES } from "./stages";

/** A radar of two spokes is a line. */
const LEAST_SPOKES = 3;

export function SkillsCard({ assessed }: { assessed: readonly AssessedSkill[] }) {
  const radar = useQuery(radarQuery);
  return (
    <Card title="Skills" note={radar.data?.skillAreas.length ? <Overall {...radar.data} /> : null}>
      <WhenReady query={radar}>
        {({ skillAreas }) =>
          skillAreas.length === 0 ? (
            <p className="text-sm text-muted">
              Nothing is known of you yet. The end of a session says how far you have come in what it was
              about, from novice to expert.
            </p>
          ) : (
            <>
              {skillAreas.length >= LEAST_SPOKES && <SkillsRadar points={skillAreas} />}
              <ul aria-label="Skills and stages" className="space-y-3">
                {skillAreas.map((point) => (
                  <Skill key={point.name} {...point} assessed={assessed.find(isOf(point.name))} />
                ))}
              </ul>
            </>
          )
        }
      </WhenReady>
    </Card>
  );
}

function isOf(name: string) {
  return ({ skillArea }: AssessedSkill) => skillArea === name;
}

function Overall({ overallStage }: DreyfusRadar) {
  return (
    <>
      Over all: <strong className="font-medium text-ink">{STAGES[overallStage].name}</strong>
    </>
  );
}

type SkillProps = DreyfusRadar["skillAreas"][number] & { assessed?: AssessedSkill };

function Skill({ name, stage, score, assessed }: SkillProps) {
  return (
    <li className="text-sm">
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <h3 className="font-medium">{name}</h3>
        <Badge tone="accent">{STAGES[stage].name}</Badge>
      </div>
      <div aria-hidden className="my-1.5 h-1.5 rounded-full bg-sunken">
        <div className="h-full rounded-full bg-accent" style={{ width: percent(score).replace(" ", "") }} />
      </div>
      <p className="text-muted">
        {STAGES[stage].meaning}
        {assessed && (
          <>
            {" "}
            {percent(assessed.confidence)} sure, <Time at={assessed.assessedAt} />.
          </>
        )}
      </p>
    </li>
  );
}
