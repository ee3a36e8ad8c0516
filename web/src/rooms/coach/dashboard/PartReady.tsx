import type { ReactNode } from "react";

import { Loading, Problem } from "@/components/States";

import type { Part } from "./arrivals";

type Props<T> = { part: Part<T>; label: string; onRetry: () => void; children: (data: T) => ReactNode };

/** A part's own loading and error; what was there before stays in sight below an error. */
export function PartReady<T>({ part, label, onRetry, children }: Props<T>) {
  return (
    <div className="space-y-3">
      {part.error && <Problem error={new Error(part.error)} onRetry={onRetry} />}
      {part.data !== undefined ? (
        <div aria-busy={part.isAwaited || undefined}>{children(part.data)}</div>
      ) : (
        part.isAwaited && <Loading lines={5} label={label} />
      )}
    </div>
  );
}
