import { BookPlus } from "lucide-react";
import { useState } from "react";

import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { TextField } from "@/components/Field";
import { Empty } from "@/components/States";

import { isEditable } from "./lifecycle";
import type { PanelProps } from "./Panel";
import { TextPanel } from "./TextPanel";
import { deltaTemplate, specFile } from "./texts";

/** What the change adds to, alters in and takes from the main specs, capability by capability. */
export function DeltasPanel({ at, change }: PanelProps) {
  const [added, setAdded] = useState<string[]>([]);
  const written = Object.keys(change.specs);
  const begun = added.filter((capability) => !written.includes(capability));
  return (
    <div className="space-y-4">
      {written.length === 0 && begun.length === 0 && (
        <Card>
          <Empty title="It changes no spec." icon={<BookPlus className="size-5" />}>
            A delta says what the project does differently once the change is archived. Without one, the
            change alters no behaviour.
          </Empty>
        </Card>
      )}
      {[...written, ...begun].map((capability) => (
        <TextPanel
          key={capability}
          at={at}
          change={change}
          file={specFile(capability)}
          title={capability}
          text={change.specs[capability] ?? null}
          about="A delta that is valid already waits there, for your own words."
          template={deltaTemplate(capability)}
        />
      ))}
      {isEditable(change) && <AddDelta onAdd={(capability) => setAdded([...added, capability])} />}
    </div>
  );
}

function AddDelta({ onAdd }: { onAdd: (capability: string) => void }) {
  const [name, setName] = useState("");
  return (
    <Card title="Another capability">
      <form
        className="flex flex-wrap items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          onAdd(name.trim());
          setName("");
        }}
      >
        <TextField
          label="Name of the capability"
          isLabelHidden
          className="w-64 max-w-full"
          placeholder="user-auth"
          hint="Small letters, digits and hyphens; / between areas."
          required
          pattern="[a-z0-9]+([\-\/][a-z0-9]+)*"
          title="Small letters, digits and hyphens: user-auth"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Button type="submit">Add a delta</Button>
      </form>
    </Card>
  );
}
