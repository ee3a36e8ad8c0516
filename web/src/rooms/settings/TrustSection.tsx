import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { BroughtView, TrustState } from "@/api/schema";
import { distrust, trustQuery } from "@/api/trust";
import { Badge, type Tone } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Empty, WhenReady } from "@/components/States";
import { toast, toastError } from "@/components/Toasts";

import { Section } from "./Section";
import { TrustDialog } from "./TrustDialog";

const STATES: Record<TrustState, [Tone, string]> = {
  trusted: ["good", "trusted"],
  new: ["warn", "not used: not trusted yet"],
  changed: ["warn", "not used: changed since it was trusted"],
  broken: ["bad", "cannot be trusted"],
};

export function TrustSection() {
  const brought = useQuery(trustQuery);
  return (
    <Section id="trust" title="What the project brings">
      <p className="mb-3 text-sm text-muted">
        Agents, plugins, skills and sources in the project’s .bottega folder may run programs. None is used,
        and none replaces what is shipped, until you have looked at it and trusted it as it is.
      </p>
      <WhenReady query={brought}>
        {({ things }) =>
          things.length === 0 ? (
            <Empty title="It brings nothing">There is nothing to trust in this project.</Empty>
          ) : (
            <ul aria-label="What the project brings" className="divide-y border-y">
              {things.map((thing) => (
                <ThingLine key={nameOf(thing)} thing={thing} />
              ))}
            </ul>
          )
        }
      </WhenReady>
    </Section>
  );
}

function nameOf(thing: BroughtView): string {
  return `${thing.kind}/${thing.name}`;
}

function ThingLine({ thing }: { thing: BroughtView }) {
  const [isLooking, setLooking] = useState(false);
  const [tone, state] = STATES[thing.state];
  const name = nameOf(thing);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2 text-sm">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium break-all">{name}</span>
          <Badge tone={tone}>{state}</Badge>
        </p>
        <p className="text-muted">
          {thing.problem ??
            (thing.replaces ? `would replace one that is ${thing.replaces}` : "replaces nothing")}
        </p>
      </div>
      {thing.state === "trusted" && <Distrust name={name} />}
      {(thing.state === "new" || thing.state === "changed") && (
        <Button aria-label={`Look at ${name}`} onClick={() => setLooking(true)}>
          Look at it
        </Button>
      )}
      <TrustDialog name={name} isOpen={isLooking} onClose={() => setLooking(false)} />
    </li>
  );
}

function Distrust({ name }: { name: string }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => distrust(name),
    onSuccess: () => toast(`${name} is not used any more.`),
    onError: toastError,
    onSettled: () => queries.invalidateQueries(trustQuery),
  });
  return (
    <Button aria-label={`Stop trusting ${name}`} isBusy={remove.isPending} onClick={() => remove.mutate()}>
      Stop trusting
    </Button>
  );
}
