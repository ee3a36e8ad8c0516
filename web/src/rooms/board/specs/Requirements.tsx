import { useQuery } from "@tanstack/react-query";

import type { RequirementView } from "@/api/schema";
import { specQuery } from "@/api/projects";
import { Markdown } from "@/components/Markdown";
import { WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

export function Requirements({ project, spec }: { project: string; spec: string }) {
  const whole = useQuery(specQuery(project, spec));
  return (
    <div className="mt-3 ml-6 space-y-4">
      <WhenReady query={whole}>
        {({ requirements }) =>
          requirements.map((requirement) => <Requirement key={requirement.name} requirement={requirement} />)
        }
      </WhenReady>
    </div>
  );
}

function Requirement({ requirement: { name, text, scenarios } }: { requirement: RequirementView }) {
  return (
    <section>
      <h3 className="font-medium">{name}</h3>
      <Markdown text={text} className="text-sm" />
      {scenarios.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="text-muted">{plural(scenarios.length, "scenario")}</summary>
          <dl className="mt-2 space-y-2 border-l-2 pl-3">
            {scenarios.map((scenario) => (
              <div key={scenario.name}>
                <dt className="font-medium">{scenario.name}</dt>
                <dd>
                  <Markdown text={scenario.text} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}
