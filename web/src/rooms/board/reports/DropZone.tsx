import { FileUp } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";

import { Button } from "@/components/Button";
import { classes } from "@/lib/classes";

type Props = { isBusy: boolean; onFile: (file: File) => void };

/** A file, dropped here or chosen. */
export function DropZone({ isBusy, onFile }: Props) {
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);

  function take(files: FileList | null) {
    const file = files?.[0];
    if (file && !isBusy) onFile(file);
  }

  function dropped(event: DragEvent) {
    event.preventDefault();
    setIsOver(false);
    take(event.dataTransfer.files);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: for the mouse only; the button does the same
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={dropped}
      className={classes(
        "flex flex-col items-center gap-3 rounded-lg border-2 border-dashed px-4 py-8 text-center",
        isOver && "border-accent bg-accent-soft",
      )}
    >
      <FileUp aria-hidden className="size-6 text-muted" />
      <p className="text-sm text-muted">Drop a report here, or</p>
      <input
        ref={picker}
        type="file"
        aria-label="Report file"
        accept=".xml,.json,application/json,application/xml,text/xml"
        className="hidden"
        onChange={(event) => {
          take(event.target.files);
          event.target.value = "";
        }}
      />
      <Button kind="primary" isBusy={isBusy} onClick={() => picker.current?.click()}>
        {isBusy ? "Reading the report" : "Choose a file"}
      </Button>
    </div>
  );
}
