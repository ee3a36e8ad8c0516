import { Copy, Download } from "lucide-react";
import { useMemo } from "react";

import type { AnswerView } from "@/api/schema";
import { Button } from "@/components/Button";
import { toast, toastError } from "@/components/Toasts";
import { useCommands } from "@/shell/commands";

/** The answer as a document, to take elsewhere. */
export function AnswerActions({ view }: { view: AnswerView }) {
  const { markdown, run_id } = view;

  const commands = useMemo(
    () => [
      { name: "Copy the answer as markdown", run: () => void copy(markdown) },
      { name: "Download the answer", run: () => download(markdown, run_id) },
    ],
    [markdown, run_id],
  );
  useCommands("This answer", commands);

  return (
    <span className="flex flex-wrap gap-2">
      <Button onClick={() => void copy(markdown)}>
        <Copy aria-hidden className="size-4" /> Copy as markdown
      </Button>
      <Button onClick={() => download(markdown, run_id)}>
        <Download aria-hidden className="size-4" /> Download
      </Button>
    </span>
  );
}

async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    toast("The answer is on the clipboard.");
  } catch {
    toastError(
      new Error("The browser does not let this page use the clipboard. Download the answer instead."),
    );
  }
}

function download(text: string, name: string) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.md`;
  link.click();
  URL.revokeObjectURL(url);
}
