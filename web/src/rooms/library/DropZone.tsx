import { Upload } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";

import { Button } from "@/components/Button";
import { classes } from "@/lib/classes";

const READABLE = ".md,.markdown,.txt,.html,.htm,.rst,.pdf,.docx";

type Props = { isBusy: boolean; onFiles: (files: readonly File[]) => void };

export function DropZone({ isBusy, onFiles }: Props) {
  const [isOver, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    give(event.dataTransfer.files);
  }

  function give(files: FileList | null) {
    if (files?.length && !isBusy) onFiles([...files]);
    // So that the same file can be chosen again.
    if (picker.current) picker.current.value = "";
  }

  return (
    <section
      aria-label="Files to upload"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={classes(
        "flex flex-col items-center gap-2 rounded-md border-2 border-dashed p-5 text-center text-sm",
        isOver ? "border-accent bg-accent-soft" : "border-line-strong/50",
      )}
    >
      <Upload aria-hidden className="size-5 text-muted" />
      <p className="text-muted">Drop files here: Markdown, text, HTML, reStructuredText, PDF or DOCX.</p>
      <Button isBusy={isBusy} onClick={() => picker.current?.click()}>
        Choose files
      </Button>
      <input
        ref={picker}
        type="file"
        multiple
        accept={READABLE}
        aria-label="Files"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => give(event.target.files)}
      />
    </section>
  );
}
