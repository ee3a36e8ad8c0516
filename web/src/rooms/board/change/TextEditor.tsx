import { useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";

import { changeQuery, editChange } from "@/api/changes";
import { ServerError } from "@/api/client";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { CodeEditor } from "@/components/CodeEditor";
import { Markdown } from "@/components/Markdown";
import { Notice, Problem } from "@/components/States";
import { toast } from "@/components/Toasts";
import { classes } from "@/lib/classes";
import { plural } from "@/lib/words";

import { Compare } from "./Compare";
import type { Draft, useDraft } from "./drafts";
import type { PanelProps } from "./Panel";
import { withoutTitle } from "./texts";
import { useChangeMutation } from "./useChange";

type Props = PanelProps & {
  file: string;
  text: string | null;
  drafts: Omit<ReturnType<typeof useDraft>, "draft"> & { draft: Draft };
};

/** A text while it is written. Whatever happens to its file meanwhile, it stays. */
export function TextEditor({ at, change, file, text, drafts }: Props) {
  const { draft } = drafts;
  const queries = useQueryClient();
  const [isComparing, setComparing] = useState(false);
  const hash = change.hashes[file] ?? null;
  const isOutdated = hash !== draft.base;

  const save = useChangeMutation(
    at,
    (base: string | null) => editChange(at, { texts: { [file]: draft.text }, base_hashes: { [file]: base } }),
    (saved) => saved.change,
  );

  function send(base: string | null) {
    if (save.isPending) return;
    const sent = draft.text;
    save.mutate(base, {
      onSuccess: ({ change: now, validation }) => {
        drafts.saved(sent, now.hashes[file] ?? null);
        const left = validation.issues.length;
        toast(`Saved in ${file}.${left ? ` ${plural(left, "thing is", "things are")} still to mend.` : ""}`);
      },
      onError: async (error) => {
        if (!isTooLate(error)) return;
        await queries.refetchQueries({ queryKey: changeQuery(at).queryKey });
        setComparing(true);
      },
    });
  }

  if (isComparing) {
    return (
      <Compare
        file={file}
        theirs={text ?? ""}
        mine={draft.text}
        isBusy={save.isPending}
        error={isTooLate(save.error) ? null : save.error}
        onChange={drafts.write}
        onSave={() => send(hash)}
        onBack={() => setComparing(false)}
      />
    );
  }
  return (
    <Card
      title={`Editing ${file}`}
      note={
        <div className="flex gap-2">
          <Button onClick={drafts.drop}>{draft.text === (text ?? "") ? "Close" : "Throw away"}</Button>
          <Button kind="primary" isBusy={save.isPending} onClick={() => send(draft.base)} title="Ctrl S">
            Save
          </Button>
        </div>
      }
    >
      <div className="space-y-3">
        {isOutdated && (
          <Notice tone="warn">
            <div role="status" className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
              <p>
                {file} was changed by somebody else while you write. Your text is safe; nothing is
                overwritten.
              </p>
              <Button className="text-ink" onClick={() => setComparing(true)}>
                Look at both
              </Button>
            </div>
          </Notice>
        )}
        {save.error && !isTooLate(save.error) && <Problem error={save.error} />}
        <Written file={file} text={draft.text} onChange={drafts.write} onSave={() => send(draft.base)} />
      </div>
    </Card>
  );
}

type WrittenProps = { file: string; text: string; onChange: (text: string) => void; onSave: () => void };

/** What is written beside how it will look; on a narrow window one of the two. */
function Written({ file, text, onChange, onSave }: WrittenProps) {
  const [isPreview, setPreview] = useState(false);
  const shown = useDeferredValue(text);
  return (
    <>
      <Button className="lg:hidden" aria-pressed={isPreview} onClick={() => setPreview(!isPreview)}>
        {isPreview ? "Write" : "Preview"}
      </Button>
      <div className="grid gap-4 lg:grid-cols-2">
        <CodeEditor
          label={`Text of ${file}`}
          language="markdown"
          value={text}
          onChange={onChange}
          onSave={onSave}
          className={classes("h-[60vh] rounded-md border lg:block", isPreview && "hidden")}
        />
        <section
          aria-label="Preview"
          tabIndex={0}
          className={classes(
            "h-[60vh] overflow-y-auto rounded-md bg-sunken/50 p-4 lg:block",
            !isPreview && "hidden",
          )}
        >
          <Markdown text={withoutTitle(shown)} />
        </section>
      </div>
    </>
  );
}

/** The text was made from one that is not there any more. */
function isTooLate(error: Error | null): boolean {
  return error instanceof ServerError && error.status === 409 && Array.isArray(error.details.conflicts);
}
