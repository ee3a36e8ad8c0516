import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FilePen } from "lucide-react";

import { changeQuery, tickTasks } from "@/api/changes";
import type { ChangeView, TaskView } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { CheckBox } from "@/components/Field";
import { Empty, Notice } from "@/components/States";
import { toastError } from "@/components/Toasts";
import { percent } from "@/lib/words";

import { useDraft } from "./drafts";
import { isEditable } from "./lifecycle";
import type { PanelProps } from "./Panel";
import { groupTasks, withTick } from "./tasks";
import { TextEditor } from "./TextEditor";

const FILE = "tasks.md";

/** The checklist. A tick is in the file at once, and one made there is here. */
export function TasksPanel({ at, change }: PanelProps) {
  const drafts = useDraft(change, FILE);
  const tick = useTick({ at, change });
  const canEdit = isEditable(change);

  if (drafts.draft && canEdit) {
    return (
      <TextEditor
        at={at}
        change={change}
        file={FILE}
        text={change.tasks_content}
        drafts={{ ...drafts, draft: drafts.draft }}
      />
    );
  }
  const edit = canEdit && (
    <Button onClick={() => drafts.begin(change.tasks_content || "## 1. Work\n\n- [ ] 1.1 \n")}>
      <FilePen aria-hidden className="size-4" />
      Edit the text
    </Button>
  );
  if (change.tasks.length === 0) {
    return (
      <Card>
        <Empty title="There are no tasks yet.">
          <p className="mb-3">
            Each line <code>- [ ] 1.1 What to do</code> in {FILE} is one.
          </p>
          {edit}
        </Empty>
      </Card>
    );
  }
  return (
    <Card title="Tasks" note={edit}>
      <Progress change={change} />
      {groupTasks(change.tasks).map(({ title, tasks }, index) => (
        <section key={index} className="mt-4">
          {title && <h3 className="mb-1 font-medium">{title}</h3>}
          <ul className="space-y-1.5">
            {tasks.map((task) => (
              <li key={task.id} style={{ marginLeft: `${task.depth * 1.5}rem` }}>
                <CheckBox
                  label={<span className={task.done ? "text-muted line-through" : ""}>{task.text}</span>}
                  checked={task.done}
                  disabled={!canEdit}
                  onChange={({ target }) => tick.mutate({ task, done: target.checked })}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Card>
  );
}

function Progress({ change }: { change: ChangeView }) {
  const share = change.tasks_total ? change.tasks_done / change.tasks_total : 0;
  const isAtWork = change.status === "assigned" || change.status === "in_progress";
  return (
    <div className="space-y-2 text-sm">
      <label className="flex flex-wrap items-center gap-3">
        <progress
          max={change.tasks_total}
          value={change.tasks_done}
          className="h-2 min-w-40 grow accent-(--accent)"
        />
        {change.tasks_done} of {change.tasks_total} done ({percent(share)})
      </label>
      {isAtWork && <Notice>When the last one is ticked, the change comes to you for review.</Notice>}
    </div>
  );
}

type Ticked = { task: TaskView; done: boolean };

/** Shown ticked at once; taken back if the server refuses. */
function useTick({ at }: PanelProps) {
  const queries = useQueryClient();
  const { queryKey } = changeQuery(at);
  return useMutation({
    mutationKey: ["tick", at.id],
    mutationFn: ({ task, done }: Ticked) => tickTasks(at, { tasks: [task.id], done }),
    onMutate: async ({ task, done }) => {
      await queries.cancelQueries({ queryKey });
      queries.setQueryData(queryKey, (shown) => shown && withTick(shown, task.id, done));
    },
    onError: (error, { task, done }) => {
      queries.setQueryData(queryKey, (shown) => shown && withTick(shown, task.id, !done));
      toastError(error);
    },
    onSettled: () => {
      // While more ticks are on their way, an answer to an earlier one would take them back.
      if (queries.isMutating({ mutationKey: ["tick", at.id] }) > 1) return;
      return queries.invalidateQueries({ queryKey: ["change", at.id] });
    },
  });
}
