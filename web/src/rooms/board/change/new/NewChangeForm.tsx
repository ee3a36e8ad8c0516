import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { proposeChange } from "@/api/changes";
import { ServerError } from "@/api/client";
import type { ProjectView } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { TextArea } from "@/components/Field";
import { Notice, Problem } from "@/components/States";
import { toast } from "@/components/Toasts";
import { plural } from "@/lib/words";

import { BasicFields } from "./BasicFields";
import { Behaviours } from "./Behaviours";
import { problemsIn, problemsOf, proposalOf, tasksOf } from "./form";
import { useFormDraft } from "./useFormDraft";

export function NewChangeForm({ projects }: { projects: readonly ProjectView[] }) {
  const drafts = useFormDraft();
  const form = { ...drafts.form, project: drafts.form.project || (projects[0]?.id ?? "") };
  const [isTried, setTried] = useState(false);
  const navigate = useNavigate();
  const propose = useMutation({ mutationFn: proposeChange });

  const missing = problemsOf(form);
  const refused = propose.error instanceof ServerError ? problemsIn(propose.error.details, form) : {};
  const problems = isTried ? { ...refused, ...missing } : {};

  function submit() {
    setTried(true);
    if (Object.keys(missing).length > 0 || propose.isPending) return;
    propose.mutate(proposalOf(form), {
      onSuccess: ({ id, project_id, overlaps }) => {
        drafts.forget();
        const met = overlaps.length ? ` It meets ${plural(overlaps.length, "other open change")}.` : "";
        toast(`${id} is in the project’s files now.${met}`);
        void navigate({ to: "/board/changes/$id", params: { id }, search: { project: project_id } });
      },
    });
  }

  const groups = tasksOf(form.tasks);
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <form
      noValidate
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {drafts.isKept && (
        <Notice>
          <div className="flex flex-wrap items-center justify-between gap-2">
            This is what you had begun to write.
            <Button className="text-ink" onClick={drafts.forget}>
              Begin anew
            </Button>
          </div>
        </Notice>
      )}
      <BasicFields form={form} projects={projects} problems={problems} onChange={drafts.change} />
      <Behaviours form={form} problems={problems} onChange={drafts.change} />
      <Card title="Tasks" note={count > 0 && `${plural(count, "task")} in ${plural(groups.length, "group")}`}>
        <TextArea
          label="What is to be done"
          hint="One task per line. A line that begins with # begins a group."
          placeholder={"# Prices\nRead the discount from the price list\n# Tests\nCover ten rolls"}
          rows={6}
          value={form.tasks}
          error={problems.tasks}
          onChange={({ target }) => drafts.change({ tasks: target.value })}
        />
      </Card>
      {propose.error && <Problem error={propose.error} />}
      {isTried && Object.keys(missing).length > 0 && (
        <p role="alert" className="text-sm text-bad">
          {plural(Object.keys(missing).length, "field needs", "fields need")} another look; each says what.
        </p>
      )}
      <Button type="submit" kind="primary" isBusy={propose.isPending}>
        Propose the change
      </Button>
    </form>
  );
}
