import { useQuery } from "@tanstack/react-query";
import { useId } from "react";

import { overviewQuery } from "@/api/memories";
import type { Importance } from "@/api/schema";
import { Button } from "@/components/Button";
import { Select, TextArea, TextField } from "@/components/Field";
import { Problem } from "@/components/States";

import type { MemoryDraft } from "./draft";

const IMPORTANCES = [
  ["high", "High"],
  ["medium", "Medium"],
  ["low", "Low"],
] as const;

type Props = {
  draft: MemoryDraft;
  action: string;
  isBusy: boolean;
  error: Error | null;
  onChange: (draft: MemoryDraft) => void;
  onSubmit: () => void;
  onCancel: () => void;
};

export function MemoryForm({ draft, action, isBusy, error, onChange, onSubmit, onCancel }: Props) {
  const projectsId = useId();
  const projects = useQuery(overviewQuery).data?.projects ?? [];
  const set = (name: keyof MemoryDraft) => (event: { target: { value: string } }) =>
    onChange({ ...draft, [name]: event.target.value });

  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSubmit();
      }}
    >
      <TextArea
        label="What to remember"
        hint="One fact, so that it can be found and corrected by itself."
        required
        autoFocus
        value={draft.content}
        onChange={set("content")}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Importance"
          value={draft.importance}
          onChange={(event) => onChange({ ...draft, importance: event.target.value as Importance })}
          options={IMPORTANCES}
        />
        <TextField label="Tags" hint="Separated by commas" value={draft.tags} onChange={set("tags")} />
        <TextField
          label="Project"
          hint="Left empty, it holds everywhere"
          list={projectsId}
          value={draft.project}
          onChange={set("project")}
        />
        <datalist id={projectsId}>
          {projects.map(({ project }) => (
            <option key={project} value={project} />
          ))}
        </datalist>
        <TextField
          label="Evidence"
          hint="A file and line, or an address"
          value={draft.evidence}
          onChange={set("evidence")}
        />
      </div>
      {error && <Problem error={error} />}
      <div className="flex gap-2">
        <Button kind="primary" type="submit" isBusy={isBusy} disabled={!draft.content.trim()}>
          {action}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
