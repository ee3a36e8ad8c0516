import { FilePen } from "lucide-react";

import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Markdown } from "@/components/Markdown";
import { Empty } from "@/components/States";

import { useDraft } from "./drafts";
import { isEditable } from "./lifecycle";
import type { PanelProps } from "./Panel";
import { TextEditor } from "./TextEditor";
import { withoutTitle } from "./texts";

type Props = PanelProps & {
  file: string;
  title: string;
  text: string | null;
  /** What would be here, where there is nothing yet. */
  about?: string;
  /** What an empty text begins with. */
  template?: string;
};

/** One file of the change: read, and edited. */
export function TextPanel({ at, change, file, title, text, about, template = "" }: Props) {
  const drafts = useDraft(change, file);
  const canEdit = isEditable(change);
  const begin = () => drafts.begin(text || template);

  if (drafts.draft && canEdit) {
    return (
      <TextEditor
        at={at}
        change={change}
        file={file}
        text={text}
        drafts={{ ...drafts, draft: drafts.draft }}
      />
    );
  }
  if (!text) {
    return (
      <Card>
        <Empty title={`There is no ${file} yet.`} icon={<FilePen className="size-5" />}>
          {about && <p>{about}</p>}
          {canEdit && (
            <Button className="mt-3" onClick={begin}>
              Write it
            </Button>
          )}
        </Empty>
      </Card>
    );
  }
  return (
    <Card title={title} note={canEdit && <EditButton file={file} onClick={begin} />}>
      {drafts.draft && <KeptDraft text={drafts.draft.text} onDrop={drafts.drop} />}
      <Markdown text={withoutTitle(text)} />
    </Card>
  );
}

function EditButton({ file, onClick }: { file: string; onClick: () => void }) {
  return (
    <Button onClick={onClick} aria-label={`Edit ${file}`}>
      <FilePen aria-hidden className="size-4" />
      Edit
    </Button>
  );
}

/** The change was put away while somebody wrote: what they wrote can still be copied. */
function KeptDraft({ text, onDrop }: { text: string; onDrop: () => void }) {
  return (
    <details className="mb-4 rounded-md bg-warn-soft p-3 text-sm text-warn">
      <summary>You have text here that was not saved, and the change cannot be edited any more.</summary>
      <pre tabIndex={0} className="mt-2 max-h-60 overflow-auto rounded bg-surface p-2 text-ink">
        {text}
      </pre>
      <Button className="mt-2 text-ink" onClick={onDrop}>
        Throw it away
      </Button>
    </details>
  );
}
