import type { AssistantStartInput } from "@/api/schema";
import { CheckBox, Select } from "@/components/Field";

export type Options = Required<Pick<AssistantStartInput, "permission" | "memory" | "ask_confidence">>;

export const PLAIN_OPTIONS: Options = { permission: "ask", memory: true, ask_confidence: false };

const PERMISSIONS = [
  ["ask", "Asks you before it changes anything"],
  ["explore", "Only looks, changes nothing"],
  ["execute", "Changes files without asking"],
] as const;

type Props = { value: Options; onChange: (options: Options) => void };

/** What a person may choose for a turn; the defaults are right for nearly everybody. */
export function TurnOptions({ value, onChange }: Props) {
  return (
    <details className="text-sm">
      <summary className="text-muted">Options</summary>
      <div className="mt-2 grid gap-3 rounded-md bg-sunken p-3 sm:grid-cols-2">
        <Select
          label="What its tools may do"
          options={PERMISSIONS}
          value={value.permission}
          onChange={(event) =>
            onChange({ ...value, permission: event.target.value as Options["permission"] })
          }
        />
        <div className="space-y-2">
          <CheckBox
            label="Use memory"
            hint="Read what was remembered, and propose more."
            checked={value.memory}
            onChange={(event) => onChange({ ...value, memory: event.target.checked })}
          />
          <CheckBox
            label="Ask how sure I am"
            hint="A rating before you look closely, for research."
            checked={value.ask_confidence}
            onChange={(event) => onChange({ ...value, ask_confidence: event.target.checked })}
          />
        </div>
      </div>
    </details>
  );
}
