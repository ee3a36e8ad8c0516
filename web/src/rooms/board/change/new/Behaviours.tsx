import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";

import { openChangesQuery } from "@/api/changes";
import { specsQuery } from "@/api/projects";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { CheckBox } from "@/components/Field";

import { BehaviourFields } from "./BehaviourFields";
import { type Behaviour, deltasOf, type Form, meeting, newBehaviour, type Problems } from "./form";

type Props = { form: Form; problems: Problems; onChange: (part: Partial<Form>) => void };

/** The spec delta: what the project will promise once the change is done. */
export function Behaviours({ form, problems, onChange }: Props) {
  const specs = useQuery(specsQuery(form.project)).data ?? [];
  const others = useQuery(openChangesQuery(form.project)).data ?? [];
  const { paths } = deltasOf(form.behaviours);

  function replace(index: number, next: Behaviour) {
    onChange({ behaviours: form.behaviours.with(index, next) });
  }

  return (
    <Card title="How it will behave" note="Becomes the spec delta">
      <div className="space-y-4">
        <CheckBox
          label="It changes how something behaves"
          hint="Leave it off for work that nobody notices from outside: tidying up, a new tool."
          checked={form.hasBehaviours}
          onChange={({ target }) => onChange({ hasBehaviours: target.checked })}
        />
        {form.hasBehaviours && (
          <>
            {form.behaviours.map((behaviour, index) => (
              <BehaviourFields
                key={behaviour.key}
                number={index + 1}
                project={form.project}
                behaviour={behaviour}
                specs={specs}
                meets={meeting(others, behaviour)}
                path={paths[index]!}
                problems={problems}
                onChange={(next) => replace(index, next)}
                onRemove={
                  form.behaviours.length > 1
                    ? () => onChange({ behaviours: form.behaviours.toSpliced(index, 1) })
                    : undefined
                }
              />
            ))}
            <Button
              onClick={() =>
                onChange({
                  behaviours: [...form.behaviours, newBehaviour(form.behaviours.at(-1)?.capability)],
                })
              }
            >
              <Plus aria-hidden className="size-4" />
              Another requirement
            </Button>
          </>
        )}
      </div>
    </Card>
  );
}
