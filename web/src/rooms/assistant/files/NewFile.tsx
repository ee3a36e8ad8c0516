import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";

import { filesKey, writeFile } from "@/api/assistant";
import { Button } from "@/components/Button";
import { TextField } from "@/components/Field";

/** A file under a name that is not taken: `classes/4D.md`. */
export function NewFile({ plugin, taken }: { plugin: string; taken: readonly string[] }) {
  const [path, setPath] = useState("");
  const queries = useQueryClient();
  const navigate = useNavigate();
  const name = path.trim() && (path.trim().includes(".") ? path.trim() : `${path.trim()}.md`);
  const isTaken = taken.includes(name);

  const create = useMutation({
    mutationFn: () => writeFile(plugin, name, `# ${name.split("/").at(-1)?.replace(/\.md$/, "")}\n\n`),
    onSuccess: async (file) => {
      setPath("");
      await queries.invalidateQueries({ queryKey: filesKey });
      await navigate({
        to: ".",
        search: (now) => ({ ...now, file: file.path, view: "file" as const, pane: "document" as const }),
      });
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (name && !isTaken) create.mutate();
  }

  return (
    <details className="px-2">
      <summary className="text-muted">New file</summary>
      <form onSubmit={submit} className="mt-2 space-y-2">
        <TextField
          label="Its name"
          placeholder="classes/4D.md"
          value={path}
          onChange={(event) => setPath(event.target.value)}
          error={isTaken ? "There is a file of that name." : create.error?.message}
        />
        <Button type="submit" isBusy={create.isPending} disabled={!name || isTaken}>
          Make it
        </Button>
      </form>
    </details>
  );
}
