import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Brain, FileText } from "lucide-react";
import { useState } from "react";

import { fileQuery, filesKey, isMemory, workspaceQuery, writeFile } from "@/api/assistant";
import type { FileView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { CodeEditor } from "@/components/CodeEditor";
import { Markdown } from "@/components/Markdown";
import { Problem, WhenReady } from "@/components/States";
import { toast } from "@/components/Toasts";
import { useKept } from "@/lib/kept";

import { DeleteFile } from "./DeleteFile";
import { Offer } from "./Offer";
import { Versions } from "./Versions";

type Place = { plugin: string; path: string };

/** A file or a memory, to read and to change; what was there before is kept. Key it by its path. */
export function FileEditor({ plugin, path }: Place) {
  const isOffered = useQuery(workspaceQuery(plugin)).data?.offers?.includes(path) ?? false;
  const isMissing = useQuery(workspaceQuery(plugin)).data?.files.includes(path) === false && !isMemory(path);
  const file = useQuery({ ...fileQuery(plugin, path), enabled: !(isOffered && isMissing) });

  return (
    <div className="flex h-full min-h-96 flex-col gap-3">
      <h2 className="flex items-center gap-2 text-sm font-semibold break-all">
        {isMemory(path) ? (
          <Brain aria-hidden className="size-4 shrink-0 text-accent" />
        ) : (
          <FileText aria-hidden className="size-4 shrink-0 text-muted" />
        )}
        {path}
        {isMemory(path) && <Badge tone="accent">memory</Badge>}
      </h2>
      {isOffered && <Offer plugin={plugin} path={path} isNew={isMissing} />}
      {!(isOffered && isMissing) && (
        <WhenReady query={file} lines={10}>
          {(found) => <Editing plugin={plugin} file={found} />}
        </WhenReady>
      )}
    </div>
  );
}

function Editing({ plugin, file }: { plugin: string; file: FileView }) {
  const { path } = file;
  const [draft, setDraft, forget] = useKept<string | null>(`assistant.file.${plugin}.${path}`, null);
  const [isReading, setReading] = useState(false);
  const queries = useQueryClient();
  const text = draft ?? file.text;
  const isChanged = draft !== null && draft !== file.text;

  const save = useMutation({
    mutationFn: () => writeFile(plugin, path, text),
    onSuccess: (saved) => {
      queries.setQueryData(fileQuery(plugin, path).queryKey, saved);
      forget();
      toast(`${path} is saved.`);
      void queries.invalidateQueries({ queryKey: filesKey });
    },
  });

  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" disabled={!isChanged} isBusy={save.isPending} onClick={() => save.mutate()}>
          Save
        </Button>
        {isChanged && <Button onClick={() => forget()}>Undo my changes</Button>}
        <Button kind="quiet" aria-pressed={isReading} onClick={() => setReading(!isReading)}>
          {isReading ? "Edit" : "Read"}
        </Button>
        <DeleteFile plugin={plugin} file={file} onDeleted={forget} />
        <span role="status" className="text-xs text-muted">
          {isChanged && "Not saved yet; kept in this browser."}
        </span>
      </div>
      {save.error && <Problem error={save.error} />}
      {isReading ? (
        <Markdown text={text} className="rounded-md border bg-surface p-4" />
      ) : (
        <CodeEditor
          label={`Text of ${path}`}
          value={text}
          // The editor also tells of a text that it was given.
          onChange={(next) => next !== text && setDraft(next)}
          onSave={() => isChanged && save.mutate()}
          language="markdown"
          className="min-h-64 grow rounded-md border"
        />
      )}
      {!isMemory(path) && <Versions plugin={plugin} path={path} onRestored={forget} />}
    </>
  );
}
