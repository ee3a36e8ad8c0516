import { ShieldCheck } from "lucide-react";

import type { HookTold } from "@/api/schema";
import { Badge } from "@/components/Badge";

import { OUTCOME } from "../words";

/** What checks and questions came to. What merely passed is a line; why one stopped the turn is told at its end. */
export function HookNotes({ hooks }: { hooks: readonly HookTold[] }) {
  const telling = hooks.filter(({ note, outcome }) => note || outcome !== "pass");
  const quiet = hooks.filter((hook) => !telling.includes(hook));
  return (
    <div className="space-y-1 text-sm">
      {quiet.length > 0 && (
        <p className="text-muted">
          <ShieldCheck aria-hidden className="mr-1.5 inline size-4" />
          Passed: {quiet.map(({ name }) => name).join(", ")}
        </p>
      )}
      {telling.map((hook) => {
        const [words, tone] = OUTCOME[hook.outcome];
        return (
          <div key={hook.position}>
            <p className="flex flex-wrap items-center gap-2">
              <ShieldCheck aria-hidden className="size-4 text-muted" />
              {hook.name} <Badge tone={tone}>{words}</Badge>
            </p>
            {hook.note && hook.outcome !== "abort" && (
              <p className="ml-6 whitespace-pre-wrap text-muted">{hook.note}</p>
            )}
          </div>
        );
      })}
    </div>
  );
}
