import { useEffect, useRef } from "react";

import { readableLines } from "./writing";

/** What the model writes, as it writes it. None of it is checked yet, and it says so. */
export function Writing({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const lines = readableLines(text);

  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [text]);

  if (lines.length === 0) return null;
  return (
    <section aria-label="Being written" className="mt-2 rounded-md bg-sunken p-3 text-sm">
      <p className="mb-1 text-xs text-muted">Being written; nothing of it is checked yet.</p>
      <div ref={box} className="max-h-40 space-y-1 overflow-y-auto" tabIndex={0}>
        {lines.map((line, index) => (
          <p key={index} className="break-words">
            {line}
          </p>
        ))}
      </div>
    </section>
  );
}
