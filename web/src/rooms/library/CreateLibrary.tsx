import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";

import { answer, rest } from "@/api/client";
import { librariesQuery } from "@/api/library";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { TextField } from "@/components/Field";

/** `Rules of the Harbour 2` → `rules_of_the_harbour_2`, as the server wants names. */
export function nameFrom(title: string): string {
  return title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/[^a-z0-9_]/g, "")
    .replace(/^[^a-z]+/, "")
    .slice(0, 31)
    .replace(/_+$/, "");
}

export function CreateLibrary({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [title, setTitle] = useState("");
  const [ownName, setOwnName] = useState<string>();
  const name = ownName ?? nameFrom(title);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: () => answer(rest.POST("/api/libraries", { body: { name, title } })),
    onSuccess: (made) => {
      void queries.invalidateQueries(librariesQuery);
      setTitle("");
      setOwnName(undefined);
      onClose();
      void navigate({
        to: "/libraries/$name",
        params: { name: made.name },
        search: { tab: "documents" },
      });
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!creating.isPending) creating.mutate();
  }

  return (
    <Dialog title="New library" lead="You add its documents next." isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label="What it is about"
          placeholder="Rules of the harbour"
          value={title}
          maxLength={200}
          required
          onChange={(event) => setTitle(event.target.value)}
        />
        <TextField
          label="Short name"
          hint="a-z, 0-9 and _: agents call its tools by it."
          error={creating.error?.message}
          value={name}
          maxLength={31}
          required
          onChange={(event) => setOwnName(event.target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={creating.isPending}>
            Create it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
