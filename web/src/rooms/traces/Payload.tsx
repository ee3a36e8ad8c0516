import { Check, Copy } from "lucide-react";
import { useState } from "react";

import { IconButton } from "@/components/Button";

const SHORT = 80;

export function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= SHORT && !value.includes("\n");
  return typeof value === "number" || typeof value === "boolean";
}

/** JSON as people read it, also where it came as a line of text; other text as it is. */
export function pretty(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2);
  if (!/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

/** What went in or came out, with a button that copies it. */
export function Payload({ name, value }: { name: string; value: unknown }) {
  const [isCopied, setCopied] = useState(false);
  const shown = pretty(value);

  async function copy() {
    await navigator.clipboard.writeText(shown);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  }

  return (
    <section aria-label={name} className="mt-4">
      <header className="flex items-center justify-between gap-2">
        <h3 className="min-w-0 text-sm font-medium break-all">{name}</h3>
        <IconButton label={`Copy ${name}`} onClick={() => void copy()}>
          {isCopied ? <Check className="size-4 text-good" /> : <Copy className="size-4" />}
        </IconButton>
      </header>
      <pre
        tabIndex={0}
        className="max-h-72 overflow-auto rounded-md bg-sunken p-3 text-xs break-words whitespace-pre-wrap"
      >
        {shown}
      </pre>
    </section>
  );
}
