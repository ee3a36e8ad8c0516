import { useQuery } from "@tanstack/react-query";
import { specQuery } from "@/api/projects";

import { Select, TextField } from "@/components/Field";

import { type Behaviour, fromSpec } from "./form";

type Props = {
  project: string;
  behaviour: Behaviour;
  /** Whether its capability has a spec to choose from. */
  isKnown: boolean;
  error: string | undefined;
  onChange: (next: Behaviour) => void;
};

/** A new requirement is named; one that changes or goes is chosen, and brings its words along. */
export function RequirementName({ project, behaviour, isKnown, error, onChange }: Props) {
  const isChosen = isKnown && behaviour.operation !== "added";
  const spec = useQuery({ ...specQuery(project, behaviour.capability.trim()), enabled: isChosen }).data;

  if (isChosen && spec) {
    const names = spec.requirements.map(({ name }) => [name, name] as const);
    return (
      <Select
        label="Requirement"
        className="md:col-span-2"
        error={error}
        value={behaviour.name}
        options={[["", "Choose one"], ...names]}
        onChange={({ target }) => onChange(fromSpec(behaviour, spec, target.value))}
      />
    );
  }
  return (
    <TextField
      label="Name of the requirement"
      className="md:col-span-2"
      placeholder="Discounts"
      value={behaviour.name}
      error={error}
      onChange={({ target }) => onChange({ ...behaviour, name: target.value })}
    />
  );
}
