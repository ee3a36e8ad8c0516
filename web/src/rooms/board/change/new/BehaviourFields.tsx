import { Trash2 } from "lucide-react";
import { useId } from "react";

import type { ChangeSummary, SpecSummary } from "@/api/schema";
import { IconButton } from "@/components/Button";
import { Select, TextArea, TextField } from "@/components/Field";
import { Notice } from "@/components/States";

import { type Behaviour, isVague, type Operation, type Problems } from "./form";
import { RequirementName } from "./RequirementName";
import { ScenarioFields } from "./ScenarioFields";

const OPERATIONS: readonly (readonly [Operation, string])[] = [
  ["added", "A new requirement"],
  ["modified", "A requirement changes"],
  ["removed", "A requirement goes"],
];

type Props = {
  number: number;
  project: string;
  behaviour: Behaviour;
  specs: readonly SpecSummary[];
  /** Other open changes that alter the same requirement. */
  meets: readonly ChangeSummary[];
  path: string;
  problems: Problems;
  onChange: (next: Behaviour) => void;
  onRemove?: () => void;
};

/** One requirement, with examples of it. */
export function BehaviourFields(props: Props) {
  const { number, project, behaviour, specs, meets, path, problems, onChange, onRemove } = props;
  const listId = useId();
  const isNewCapability =
    behaviour.capability.trim() !== "" && !specs.some(({ id }) => id === behaviour.capability.trim());
  const set = (part: Partial<Behaviour>) => onChange({ ...behaviour, ...part });

  return (
    <fieldset className="rounded-md border p-3">
      <legend className="px-1 text-sm font-medium">Requirement {number}</legend>
      <div className="grid gap-4 md:grid-cols-2">
        <Select
          label="What happens"
          value={behaviour.operation}
          options={OPERATIONS}
          onChange={({ target }) => set({ operation: target.value as Operation })}
        />
        <div className="flex items-start gap-2">
          <TextField
            label="Capability"
            className="grow"
            list={listId}
            hint="The part of the project it belongs to; choose one or name a new one."
            placeholder="orders"
            value={behaviour.capability}
            error={problems[`${path}.capability`]}
            onChange={({ target }) => set({ capability: target.value })}
          />
          <datalist id={listId}>
            {specs.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </datalist>
          {onRemove && (
            <IconButton label={`Remove requirement ${number}`} className="mt-6" onClick={onRemove}>
              <Trash2 className="size-4" />
            </IconButton>
          )}
        </div>
        {isNewCapability && behaviour.operation === "added" && (
          <TextField
            label="What the capability is for"
            className="md:col-span-2"
            hint={`There is no spec ${behaviour.capability.trim()} yet; 50 characters or more say what it is for.`}
            value={behaviour.purpose}
            onChange={({ target }) => set({ purpose: target.value })}
          />
        )}
        <RequirementName
          project={project}
          behaviour={behaviour}
          isKnown={!isNewCapability && behaviour.capability.trim() !== ""}
          error={problems[`${path}.name`]}
          onChange={onChange}
        />
        {behaviour.operation !== "removed" && (
          <>
            <TextArea
              label="What must hold"
              className="md:col-span-2"
              hint={
                isVague(behaviour.text) ? (
                  <span className="text-warn">Say SHALL or MUST, or nobody can check it.</span>
                ) : (
                  "A sentence with SHALL or MUST in it."
                )
              }
              value={behaviour.text}
              error={problems[`${path}.text`]}
              onChange={({ target }) => set({ text: target.value })}
            />
            <ScenarioFields
              path={path}
              scenarios={behaviour.scenarios}
              problems={problems}
              onChange={(scenarios) => set({ scenarios })}
            />
          </>
        )}
        {meets.length > 0 && (
          <div className="md:col-span-2">
            <Notice tone="warn">
              Changed by another open change too: {meets.map(({ title }) => title).join(", ")}. They will not
              be worked on at the same time.
            </Notice>
          </div>
        )}
      </div>
    </fieldset>
  );
}
