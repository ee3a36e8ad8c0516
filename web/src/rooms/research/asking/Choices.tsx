import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { healthQuery } from "@/api/house";
import { researchAgentsQuery } from "@/api/agents";
import type { Depth, ResearchStartInput } from "@/api/schema";
import { Select, TextField } from "@/components/Field";

export type ChoicesMade = { depth: Depth | ""; agent: string; autoProceed: boolean; budget: string };

const DEPTHS: readonly (readonly [Depth | "", string])[] = [
  ["", "As the question needs"],
  ["quick", "Quick: a few searches, no repairs"],
  ["standard", "Standard: more searches, the web, repairs"],
  ["deep", "Deep: the most of everything"],
];

export function useChoices(agent = "") {
  return useState<ChoicesMade>({ depth: "", agent, autoProceed: false, budget: "" });
}

export function toOrder({ depth, agent, autoProceed, budget }: ChoicesMade): Partial<ResearchStartInput> {
  return {
    depth: depth || null,
    auto_proceed: autoProceed,
    budget_usd: budget === "" ? null : Number(budget),
    ...(agent && { agent }),
  };
}

type Props = { choices: ChoicesMade; onChange: (choices: ChoicesMade) => void };

/** How to go about it; each has a sensible choice already. */
export function Choices({ choices, onChange }: Props) {
  const agents = (useQuery(researchAgentsQuery).data?.agents ?? []).filter(
    (agent) => agent.problems.length === 0,
  );
  const isOffline = useQuery(healthQuery).data?.model?.offline ?? false;

  return (
    <>
      <Select
        label="Depth"
        value={choices.depth}
        onChange={(event) => onChange({ ...choices, depth: event.target.value as Depth | "" })}
        options={DEPTHS}
      />
      {agents.length > 1 && (
        <Select
          label="Agent"
          value={choices.agent || "deep-research"}
          onChange={(event) => onChange({ ...choices, agent: event.target.value })}
          options={agents.map((agent) => [agent.slug, agent.name])}
        />
      )}
      {!isOffline && (
        <TextField
          label="At most, in US dollars"
          type="number"
          min={0}
          max={10_000}
          step="0.01"
          placeholder="as the agent allows"
          value={choices.budget}
          onChange={(event) => onChange({ ...choices, budget: event.target.value })}
        />
      )}
    </>
  );
}
