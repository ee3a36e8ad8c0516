import type { ProjectView } from "@/api/schema";
import { Card } from "@/components/Card";
import { Select, TextArea, TextField } from "@/components/Field";

import { PRIORITIES } from "../priorities";
import type { Form, Problems } from "./form";

type Props = {
  form: Form;
  projects: readonly ProjectView[];
  problems: Problems;
  onChange: (part: Partial<Form>) => void;
};

/** What should be different, and why. */
export function BasicFields({ form, projects, problems, onChange }: Props) {
  return (
    <Card title="The change">
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          label="Title"
          className="md:col-span-2"
          hint="One line that says what will be different."
          placeholder="Add discounts"
          maxLength={200}
          value={form.title}
          error={problems.title}
          onChange={({ target }) => onChange({ title: target.value })}
        />
        <Select
          label="Project"
          value={form.project}
          error={problems.project_id}
          options={projects.map(({ id, name }) => [id, name] as const)}
          onChange={({ target }) => onChange({ project: target.value })}
        />
        <div className="grid grid-cols-2 gap-4">
          <TextField
            label="Id (optional)"
            hint="Made from the title if left out."
            placeholder="add-discounts"
            value={form.id}
            error={problems.id}
            onChange={({ target }) => onChange({ id: target.value })}
          />
          <Select
            label="Priority"
            value={form.priority}
            options={PRIORITIES}
            onChange={({ target }) => onChange({ priority: target.value })}
          />
        </div>
        <TextArea
          label="Why"
          hint="The problem, or the chance. Markdown."
          value={form.why}
          error={problems.why}
          onChange={({ target }) => onChange({ why: target.value })}
        />
        <TextArea
          label="What changes"
          hint="A list says it best. Markdown."
          placeholder="- A discount from ten rolls on"
          value={form.whatChanges}
          error={problems.what_changes}
          onChange={({ target }) => onChange({ whatChanges: target.value })}
        />
        <TextArea
          label="Impact (optional)"
          className="md:col-span-2"
          hint="Which code, data or people it touches. Name other changes by their id if this one needs them."
          value={form.impact}
          error={problems.impact}
          onChange={({ target }) => onChange({ impact: target.value })}
        />
      </div>
    </Card>
  );
}
