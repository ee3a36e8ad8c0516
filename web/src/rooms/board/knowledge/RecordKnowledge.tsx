import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";

import { boardKey } from "@/api/board";
import { answer, rest } from "@/api/client";
import { projectsQuery } from "@/api/projects";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Select, TextArea } from "@/components/Field";
import { Problem } from "@/components/States";
import { toast } from "@/components/Toasts";
import { plain } from "@/lib/words";
import { useKept } from "@/lib/kept";

import { useBoardSearch } from "../search";
import { TIER } from "./tiers";

type Tier = "project" | "global";

/** A person tells the agents something. */
export function RecordKnowledge({ tier }: { tier: Tier }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <Plus aria-hidden className="size-4" />
        Add knowledge
      </Button>
      <Dialog title="Add knowledge" lead={TIER[tier].about} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <Telling tier={tier} onDone={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

function Telling({ tier, onDone }: { tier: Tier; onDone: () => void }) {
  const queries = useQueryClient();
  const [search] = useBoardSearch();
  const projects = useQuery(projectsQuery).data ?? [];
  const [chosen, setChosen] = useState(search.project);
  const project = chosen ?? projects[0]?.id;
  const [category, setCategory] = useState(TIER[tier].categories[0]!);
  const [content, setContent] = useKept(`knowledge ${tier}`, "");
  const record = useMutation({
    mutationFn: () =>
      answer(
        rest.POST("/api/board/knowledge", {
          body: { tier, category, content, project_id: tier === "project" ? project : undefined },
        }),
      ),
    onSuccess: ({ is_new }) => {
      setContent("");
      onDone();
      toast(is_new ? "Noted." : "That was known already; it counts for more now.");
      return queries.invalidateQueries({ queryKey: boardKey });
    },
  });
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        record.mutate();
      }}
    >
      <TextArea
        label="What agents should know"
        value={content}
        placeholder="Keep every amount of money in whole cents."
        onChange={(event) => setContent(event.target.value)}
      />
      <Select
        label="Category"
        value={category}
        options={TIER[tier].categories.map((name) => [name, plain(name)] as const)}
        onChange={(event) => setCategory(event.target.value)}
      />
      {tier === "project" && projects.length > 1 && (
        <Select
          label="Project"
          value={project}
          options={projects.map(({ id, name }) => [id, name] as const)}
          onChange={(event) => setChosen(event.target.value)}
        />
      )}
      {record.error && <Problem error={record.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" kind="primary" isBusy={record.isPending} disabled={!content.trim()}>
          Note it
        </Button>
      </div>
    </form>
  );
}
