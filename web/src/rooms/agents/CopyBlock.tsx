import { useState } from "react";

import { Button } from "@/components/Button";

/** A small file to begin with, and a button that puts it on the clipboard. */
export function CopyBlock({ label, text }: { label: string; text: string }) {
  const [isCopied, setCopied] = useState(false);

  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  }

  return (
    <figure className="rounded-md bg-sunken text-left">
      <figcaption className="flex items-center justify-between gap-2 px-3 pt-1.5 text-sm">
        <code className="min-w-0 font-mono break-all">{label}</code>
        <Button kind="quiet" onClick={copy} className="text-accent">
          {isCopied ? "Copied" : "Copy"}
        </Button>
      </figcaption>
      <pre tabIndex={0} className="overflow-x-auto px-3 pb-3 font-mono text-sm text-ink">
        {text}
      </pre>
    </figure>
  );
}
