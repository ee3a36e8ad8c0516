import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { agentsQuery } from "@/api/assistant";
import type { LoopHookView, HookedAgentList, Point } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { WhenReady } from "@/components/States";

import { POINT } from "../words";

/** Who watches over a plugin's agents, and at which of the nine points of a turn. */
export function PluginHooks({ plugin }: { plugin: string }) {
  const [isOpen, setOpen] = useState(false);
  const agents = useQuery({ ...agentsQuery(plugin), enabled: isOpen });

  return (
    <details className="text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-muted">Agents, checks and questions (hooks)</summary>
      {isOpen && (
        <div className="mt-2 space-y-4 rounded-md border bg-surface p-3">
          <WhenReady query={agents}>{(told) => <Agents {...told} />}</WhenReady>
        </div>
      )}
    </details>
  );
}

function Agents({ points = [], agents }: HookedAgentList) {
  return (
    <>
      {agents.map(({ name, description, hooks }) => (
        <section key={name}>
          <h3 className="font-medium">{name}</h3>
          <p className="text-muted">{description}</p>
          {hooks.length > 0 ? (
            <HooksByPoint points={points} hooks={hooks} />
          ) : (
            <p className="mt-1 text-muted">No hooks: nothing stops it on its way.</p>
          )}
        </section>
      ))}
    </>
  );
}

function HooksByPoint({ points, hooks }: { points: Point[]; hooks: LoopHookView[] }) {
  return (
    <dl className="mt-2 space-y-2">
      {points.map((point) => {
        const here = hooks.filter((hook) => hook.points.includes(point));
        if (here.length === 0) return null;
        return (
          <div key={point}>
            <dt className="flex items-center gap-2">
              <code className="font-mono text-xs">{point}</code>
              <span className="text-muted">{POINT[point]}</span>
            </dt>
            {here.map(({ name, about }) => (
              <dd key={name} className="mt-1 ml-4">
                <Badge tone="accent">{name}</Badge> {about}
              </dd>
            ))}
          </div>
        );
      })}
      <div>
        <dt className="text-muted">Nothing runs at</dt>
        <dd className="ml-4 font-mono text-xs text-muted">
          {points.filter((point) => !hooks.some((hook) => hook.points.includes(point))).join(", ")}
        </dd>
      </div>
    </dl>
  );
}
