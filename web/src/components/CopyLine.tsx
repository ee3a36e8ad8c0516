import { useState } from "react";

import { Button } from "./Button";

/** A command to run elsewhere, with a button that puts it on the clipboard. */
export function CopyLine({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);

  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  }

  return (
    <div className="flex items-center gap-2 rounded-md bg-sunken px-3 py-1.5">
      <code className="min-w-0 grow overflow-x-auto font-mono text-sm whitespace-nowrap" tabIndex={0}>
        {text}
      </code>
      <Button kind="quiet" onClick={copy} className="text-accent">
        {copied ? "Copied" : "Copy"}
      </Button>
    </div>
  );
}
