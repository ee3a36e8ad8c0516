import { ShieldCheck } from "lucide-react";

import type { TurnEvent } from "@/api/assistant";
import { Badge } from "@/components/Badge";
import { Empty } from "@/components/States";
import { count, plain } from "@/lib/words";

import { OUTCOME, POINT } from "../words";

/** What each hook did in the newest turn, and what the prompt was made of. */
export function HookLog({ events }: { events: readonly TurnEvent[] }) {
  const hooks = events.filter((event) => event.type === "hook");
  const prompts = events.filter((event) => event.type === "prompt_assembled");
  if (hooks.length === 0) {
    return (
      <Empty title="No hook has run in this turn." icon={<ShieldCheck />}>
        Checks and questions appear here as they run.
      </Empty>
    );
  }
  return (
    <div className="space-y-6 text-sm">
      <section>
        <h2 className="mb-1 font-semibold">Hooks of the newest turn</h2>
        <ol className="divide-y">
          {hooks.map(({ position, name, point, outcome, note }) => {
            const [words, tone] = OUTCOME[outcome];
            return (
              <li key={position} className="py-2">
                <p className="flex flex-wrap items-center gap-2">
                  <span className="font-medium">{name}</span>
                  <Badge tone={tone}>{words}</Badge>
                  <span className="text-xs text-muted" title={point}>
                    {POINT[point]}
                  </span>
                </p>
                {note && <p className="whitespace-pre-wrap text-muted">{note}</p>}
              </li>
            );
          })}
        </ol>
      </section>
      {prompts.map(({ position, agent, tokens }) => (
        <section key={position}>
          <h2 className="mb-1 font-semibold">Prompt of {agent}</h2>
          <dl className="divide-y">
            {Object.entries(tokens).map(([section, size]) => (
              <div key={section} className="flex justify-between py-1">
                <dt>{plain(section)}</dt>
                <dd className="tabular-nums text-muted">{count(size)} tokens</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
