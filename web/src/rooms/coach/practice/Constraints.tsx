import { Lock } from "lucide-react";

import type { OfferedConstraint } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { CheckBox } from "@/components/Field";

import { WithCode } from "./WithCode";

type Props = {
  offered: readonly OfferedConstraint[];
  chosen: readonly string[];
  onChoose: (titles: string[]) => void;
};

/** Constraints to solve the same kata; a level opens them, and whoever likes takes one on. */
export function Constraints({ offered, chosen, onChoose }: Props) {
  if (offered.length === 0) return null;

  function toggle(title: string, isOn: boolean) {
    onChoose(isOn ? [...chosen, title] : chosen.filter((each) => each !== title));
  }

  return (
    <Card title="Constraints" note="Unlocked by your level">
      <ul aria-label="Constraints" className="space-y-3">
        {offered.map((constraint) => (
          <li key={constraint.title}>
            {constraint.unlocked ? (
              <CheckBox
                label={<span className="font-medium">{constraint.title}</span>}
                hint={<WithCode text={constraint.description} />}
                checked={chosen.includes(constraint.title)}
                onChange={(event) => toggle(constraint.title, event.target.checked)}
              />
            ) : (
              <Locked {...constraint} />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Locked({ title, description, minLevel }: OfferedConstraint) {
  return (
    <div className="flex items-start gap-2 text-sm text-muted">
      <Lock aria-hidden className="mt-1 size-4 shrink-0" />
      <div className="min-w-0">
        <p className="font-medium">
          {title} <Badge>opens at level {minLevel}</Badge>
        </p>
        <p>
          <WithCode text={description} />
        </p>
      </div>
    </div>
  );
}
