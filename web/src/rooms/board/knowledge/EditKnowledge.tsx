import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { boardKey } from "@/api/board";
import { answer, rest } from "@/api/client";
import type { KnowledgeEdit } from "@/api/schema";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Select, TextArea, TextField } from "@/components/Field";
import { Problem } from "@/components/States";
import { toast } from "@/components/Toasts";
import { plain } from "@/lib/words";

import { type Item, TIER, tierOf, weightOf } from "./tiers";

export function EditKnowledge({ item, onClose }: { item: Item; onClose: () => void }) {
  const queries = useQueryClient();
  const tier = tierOf(item);
  const [content, setContent] = useState(item.content);
  const [category, setCategory] = useState<string>(item.category);
  const [title, setTitle] = useState("title" in item ? item.title : undefined);
  const [weight, setWeight] = useState(weightOf(item));
  const save = useMutation({
    mutationFn: () => {
      const weighed: KnowledgeEdit =
        tier === "project" ? { relevance: weight } : tier === "global" ? { confidence: weight } : {};
      return answer(
        rest.PATCH("/api/board/knowledge/{tier}/{id}", {
          params: { path: { tier, id: item.id } },
          body: { content, category, title, ...weighed },
        }),
      );
    },
    onSuccess: () => {
      onClose();
      toast("Saved.");
      return queries.invalidateQueries({ queryKey: boardKey });
    },
  });
  return (
    <Dialog title="Edit knowledge" isOpen onClose={onClose}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {title !== undefined && (
          <TextField
            label="Title"
            value={title}
            maxLength={200}
            onChange={(event) => setTitle(event.target.value)}
          />
        )}
        <TextArea label="Knowledge" value={content} onChange={(event) => setContent(event.target.value)} />
        <Select
          label="Category"
          value={category}
          options={TIER[tier].categories.map((name) => [name, plain(name)] as const)}
          onChange={(event) => setCategory(event.target.value)}
        />
        {weight !== undefined && (
          <TextField
            type="number"
            min={1}
            max={10}
            label="Weight"
            hint="Agents see it from 7 on."
            value={weight}
            onChange={(event) => setWeight(Number(event.target.value))}
          />
        )}
        {save.error && <Problem error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={save.isPending} disabled={!content.trim()}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
