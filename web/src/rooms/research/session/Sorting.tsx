import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useState } from "react";

import { changeSession, exportAddress, RESEARCH, sessionQuery, vocabularyQuery } from "@/api/research";
import type { ResearchSessionView, SessionChanges, VocabularyView } from "@/api/schema";
import { buttonClass } from "@/components/Button";
import { Card } from "@/components/Card";
import { Select } from "@/components/Field";
import { toastError } from "@/components/Toasts";

/** Where the conversation stands in one's work: its status, its labels, and the way to keep it. */
export function Sorting({ session }: { session: string }) {
  const shown = useQuery(sessionQuery(session)).data;
  const words = useQuery(vocabularyQuery).data;
  if (!shown || !words) return null;
  return (
    <Card title="Conversation">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <SortingFields session={shown} words={words} />
        <div className="flex flex-wrap gap-2">
          <Link to="/research/sessions/$id" params={{ id: session }} className={buttonClass()}>
            Open the conversation
          </Link>
          <a href={exportAddress(session)} download className={buttonClass()}>
            <Download aria-hidden className="size-4" /> Export
          </a>
        </div>
      </div>
    </Card>
  );
}

type FieldsProps = { session: ResearchSessionView; words: VocabularyView };

function SortingFields({ session, words }: FieldsProps) {
  const queries = useQueryClient();
  // What was chosen is shown at once, until the server has said how it is.
  const [chosen, setChosen] = useState<SessionChanges>({});
  const labels = chosen.labels ?? session.labels;
  const changing = useMutation({
    mutationFn: (changes: SessionChanges) => changeSession(session.id, changes),
    onError: toastError,
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: RESEARCH });
      setChosen({});
    },
  });

  function change(changes: SessionChanges) {
    setChosen((was) => ({ ...was, ...changes }));
    changing.mutate(changes);
  }

  function toggle(label: string) {
    const kept = labels.filter((each) => each !== label);
    change({ labels: kept.length < labels.length ? kept : [...kept, label] });
  }

  return (
    <>
      <Select
        label="Status"
        value={chosen.status ?? session.status}
        onChange={(event) => change({ status: event.target.value })}
        options={words.statuses.map(({ id, label }) => [id, label])}
      />
      <fieldset>
        <legend className="mb-1 text-sm font-medium">Labels</legend>
        <div className="flex flex-wrap gap-x-4 gap-y-1 py-1.5 text-sm">
          {words.labels.map(({ id, label }) => (
            <label key={id} className="flex items-center gap-1.5">
              <input
                type="checkbox"
                className="size-4 accent-(--accent)"
                checked={labels.includes(id)}
                onChange={() => toggle(id)}
              />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
    </>
  );
}
