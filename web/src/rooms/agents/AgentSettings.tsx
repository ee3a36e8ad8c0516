import type { AgentConfig } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { money, percent, plain, plural } from "@/lib/words";

import { Fields } from "./Fields";

/** What `config.json` says, in words. */
export function AgentSettings({ config }: { config: AgentConfig }) {
  const { verification, orchestrator, output, followUp } = config;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title="Stages" className="min-w-0">
        <Stages {...config} />
      </Card>
      <Card title="Settings" className="min-w-0">
        <Fields
          fields={[
            ["Model", orchestrator?.model ?? "the house's strong model"],
            ["Thinking", orchestrator?.thinking],
            ["May cost at most", orchestrator?.budgetUsd !== undefined && money(orchestrator.budgetUsd)],
            ["Things named in sources", `at least ${percent(verification?.entityGrounding ?? 0)}`],
            ["Citations that hold", `at least ${percent(verification?.citationAccuracy ?? 0)}`],
            ["Relations kept", `at least ${percent(verification?.relationPreservation ?? 0)}`],
            ["Contradictions", `at most ${verification?.maxContradictions ?? 0}`],
            ["Cites as", output?.citationFormat],
            ["Follow-ups", followUp?.enabled === false ? "no" : "yes"],
          ]}
        />
      </Card>
      <Card title="Depths" className="min-w-0 lg:col-span-2">
        <Depths {...config} />
      </Card>
    </div>
  );
}

function Stages({ stages, pauseAfterStages = [], repairUnits = [] }: AgentConfig) {
  const repaired = new Set(repairUnits.flatMap((unit) => unit.stages));
  return (
    <ol className="space-y-2 text-sm">
      {stages.map(({ id, name, description }) => (
        <li key={id}>
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium">
              {id}. {plain(name)}
            </span>
            {pauseAfterStages.includes(id) && <Badge tone="info">then asks you</Badge>}
            {repaired.has(id) && <Badge>repeated to repair</Badge>}
          </span>
          {description && <span className="block text-muted">{description}</span>}
        </li>
      ))}
    </ol>
  );
}

function Depths({ depthModes, defaultDepth }: AgentConfig) {
  return (
    <section tabIndex={0} aria-label="Table of depths" className="overflow-x-auto">
      <table className="w-full text-left text-sm">
        <thead className="text-muted">
          <tr>
            {["Depth", "Sub-queries", "Paragraphs each", "Repairs", "Context", "Web"].map((name) => (
              <th key={name} scope="col" className="pr-4 pb-1 font-medium whitespace-nowrap">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.entries(depthModes).map(([depth, settings]) => (
            <tr key={depth} className="border-t">
              <th scope="row" className="py-1.5 pr-4 font-medium whitespace-nowrap">
                {depth} {depth === defaultDepth && <Badge>usual</Badge>}
              </th>
              <td className="pr-4">{settings.maxSubQueries}</td>
              <td className="pr-4">{settings.paragraphsPerQuery}</td>
              <td className="pr-4">{settings.repairIterations}</td>
              <td className="pr-4 whitespace-nowrap">{plural(settings.contextTokens, "token")}</td>
              <td>{settings.webSearch ? "yes" : "no"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
