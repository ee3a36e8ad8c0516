import { FilePen } from "lucide-react";

import type { ChangeView } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { CheckBox } from "@/components/Field";
import { Empty, Notice } from "@/components/States";
import { percent } from "@/lib/words";

import { useDraft } from "./drafts";
import { isAtWork, isEditable } from "./lifecycle";
import type { PanelProps } from "./Panel";
import { groupTasks } from "./tasks";
import { TextEditor } from "./TextEditor";
import { useTicks } from "./useTicks";

const FILE = "tasks.md";

/** The checklist. A tick is in the file at once, and one made there is here. */
export function TasksPanel({ at, change }: PanelProps) {
  const drafts = useDraft(change, FILE);
  const { shown, tick } = useTicks(at, change);
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
      <Progress change={shown} />
      {groupTasks(shown.tasks).map(({ title, tasks }, index) => (
        <section key={index} className="mt-4">
          {title && <h3 className="mb-1 font-medium">{title}</h3>}
          <ul className="space-y-1.5">
            {tasks.map((task) => (
              <li key={task.id} style={{ marginLeft: `${task.depth * 1.5}rem` }}>
                <CheckBox
                  label={<span className={task.done ? "text-muted line-through" : ""}>{task.text}</span>}
                  checked={task.done}
                  disabled={!canEdit}
                  onChange={({ target }) => tick({ id: task.id, done: target.checked })}
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
  return (
    <div className="space-y-2 text-sm">
      <label className="flex flex-wrap items-center gap-3">
        <progress
          max={change.tasks_total}
          value={change.tasks_done}
          className="h-2 min-w-40 grow appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
        />
        {change.tasks_done} of {change.tasks_total} done ({percent(share)})
      </label>
      {isAtWork(change) && <Notice>When the last one is ticked, the change comes to you for review.</Notice>}
    </div>
  );
}
