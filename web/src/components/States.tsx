import { AlertTriangle } from "lucide-react";
import type { ReactNode } from "react";

import { Button } from "./Button";

/** Nothing here yet: what would be here, and how to get it. */
export function Empty({ title, icon, children }: { title: string; icon?: ReactNode; children?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-12 text-center">
      {icon && (
        <div aria-hidden className="rounded-full bg-sunken p-3 text-muted">
          {icon}
        </div>
      )}
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-full text-sm text-muted">{children}</div>}
    </div>
  );
}

/** Grey lines in the shape of what is coming. */
export function Loading({ lines = 3, label = "Loading" }: { lines?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="animate-pulse space-y-3 py-2">
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="h-4 rounded bg-sunken" style={{ width: `${92 - ((line * 23) % 45)}%` }} />
      ))}
    </div>
  );
}

/** What went wrong, as the server words it, and a way to try again. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <div
      role="alert"
      className="flex items-start gap-3 rounded-md border border-bad/40 bg-bad-soft p-3 text-sm text-bad"
    >
      <AlertTriangle aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0 grow break-words whitespace-pre-wrap">{error.message}</p>
      {onRetry && (
        <Button kind="plain" onClick={onRetry} className="text-ink">
          Try again
        </Button>
      )}
    </div>
  );
}

/** Worth knowing, and nothing wrong: no model, a muted observer, an old version. */
export function Notice({
  tone = "info",
  children,
}: {
  tone?: "info" | "warn" | "good";
  children: ReactNode;
}) {
  const colours = {
    info: "bg-info-soft text-info",
    warn: "bg-warn-soft text-warn",
    good: "bg-good-soft text-good",
  };
  return <div className={`rounded-md p-3 text-sm ${colours[tone]}`}>{children}</div>;
}

type Asked<T> = { data: T | undefined; error: Error | null; refetch: () => unknown };

type WhenReadyProps<T> = { query: Asked<T>; lines?: number; children: (data: T) => ReactNode };

/** A query's loading and error states, and its data once it is there; old data stays while new is asked for. */
export function WhenReady<T>({ query, lines, children }: WhenReadyProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading lines={lines} />;
}
