import { useState } from "react";

/** A command to run elsewhere, with a button that puts it on the clipboard. */
export function CopyLine({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);

  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  }

  return (
    <div className="flex items-center gap-2 rounded bg-stone-100 px-3 py-2 dark:bg-stone-800">
      <code className="grow overflow-x-auto text-xs whitespace-nowrap">{text}</code>
      <button
        type="button"
        onClick={copy}
        className="rounded px-2 py-1 text-xs text-orange-800 hover:bg-stone-200 focus-visible:outline-2 focus-visible:outline-orange-700 dark:text-orange-300 dark:hover:bg-stone-700"
      >
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
