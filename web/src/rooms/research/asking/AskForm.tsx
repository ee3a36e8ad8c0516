import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { RESEARCH, startResearch } from "@/api/research";
import type { LibraryView } from "@/api/schema";
import { CheckBox, Select } from "@/components/Field";
import { useKept } from "@/lib/kept";

import { Composer } from "../Composer";
import { useSingle } from "@/lib/single";
import { AnswerHint } from "./AnswerHint";
import { Choices, toOrder, useChoices } from "./Choices";

/** What an address may bring along. */
export type Beginning = { question?: string; library?: string; agent?: string };

type Props = { libraries: readonly LibraryView[] } & Beginning;

export function AskForm({ libraries, question, library, agent }: Props) {
  const [text, setText, dropText] = useKept("research.question", question ?? "");
  const [lastLibrary, setLastLibrary] = useKept("research.library", "");
  const [chosen, setChosen] = useState(library ?? lastLibrary);
  const name = libraries.find((each) => each.name === chosen)?.name ?? libraries[0]?.name ?? "";
  const [choices, setChoices] = useChoices(agent);
  const navigate = useNavigate();
  const queries = useQueryClient();

  const asking = useSingle({
    mutationFn: () => startResearch({ question: text, library: name, ...toOrder(choices) }),
    onSuccess: (run) => {
      dropText("");
      setLastLibrary(name);
      void queries.invalidateQueries({ queryKey: RESEARCH });
      void navigate({ to: "/research/runs/$id", params: { id: run.id } });
    },
  });

  return (
    <Composer
      label="Your question"
      placeholder="How long may a shift of the watch last?"
      action="Ask"
      text={text}
      onText={setText}
      onSend={() => asking.send()}
      isBusy={asking.isPending}
      error={asking.error}
      choices={
        <>
          <AnswerHint library={name} question={text} />
          <div className="grid gap-3 sm:grid-cols-2">
            <Select
              label="Library"
              value={name}
              onChange={(event) => setChosen(event.target.value)}
              options={libraries.map((each) => [each.name, each.title])}
            />
            <Choices choices={choices} onChange={setChoices} />
          </div>
        </>
      }
    >
      <CheckBox
        label="Do not stop to ask me"
        checked={choices.autoProceed}
        onChange={(event) => setChoices({ ...choices, autoProceed: event.target.checked })}
      />
    </Composer>
  );
}
