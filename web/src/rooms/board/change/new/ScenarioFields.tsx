import { Plus, Trash2 } from "lucide-react";

import { Button, IconButton } from "@/components/Button";
import { TextArea, TextField } from "@/components/Field";

import { newScenario, type Problems, type Scenario } from "./form";

type Props = {
  path: string;
  scenarios: readonly Scenario[];
  problems: Problems;
  onChange: (scenarios: Scenario[]) => void;
};

/** Examples by which one sees that a requirement holds. */
export function ScenarioFields({ path, scenarios, problems, onChange }: Props) {
  const set = (index: number, part: Partial<Scenario>) =>
    onChange(scenarios.with(index, { ...scenarios[index]!, ...part }));

  return (
    <div className="space-y-3 md:col-span-2">
      {scenarios.map((scenario, index) => (
        <div key={scenario.key} className="grid items-start gap-3 md:grid-cols-[1fr_2fr]">
          <TextField
            label={`Example ${index + 1}`}
            value={scenario.name}
            error={problems[`${path}.scenarios.${index}.name`]}
            onChange={({ target }) => set(index, { name: target.value })}
          />
          <div className="flex items-start gap-2">
            <TextArea
              label={`Steps of example ${index + 1}`}
              className="grow"
              rows={3}
              hint="One per line: WHEN …, THEN …, AND …"
              value={scenario.steps}
              error={problems[`${path}.scenarios.${index}.steps`]}
              onChange={({ target }) => set(index, { steps: target.value })}
            />
            {scenarios.length > 1 && (
              <IconButton
                label={`Remove example ${index + 1}`}
                className="mt-6"
                onClick={() => onChange(scenarios.toSpliced(index, 1))}
              >
                <Trash2 className="size-4" />
              </IconButton>
            )}
          </div>
        </div>
      ))}
      <Button onClick={() => onChange([...scenarios, newScenario()])}>
        <Plus aria-hidden className="size-4" />
        Another example
      </Button>
    </div>
  );
}
