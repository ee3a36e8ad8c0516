import type { MomentView } from "@/api/schema";
import { Empty } from "@/components/States";
import { VirtualList } from "@/components/VirtualList";
import { dateTime, plain } from "@/lib/words";

type Numbered = MomentView & { number: number };

export function Timeline({ moments }: { moments: readonly MomentView[] }) {
  if (moments.length === 0)
    return <Empty title="Nothing happened yet">What you do in a session appears here.</Empty>;
  const items: Numbered[] = moments.map((moment, number) => ({ ...moment, number }));
  return (
    <div className="rounded-lg border bg-surface">
      <VirtualList items={items} label="Timeline" rowHeight={48} keyOf={({ number }) => String(number)}>
        {(moment) => <Moment {...moment} />}
      </VirtualList>
    </div>
  );
}

function Moment({ at, offsetMs, kind, text, data }: MomentView) {
  const hasData = Object.keys(data).length > 0;
  return (
    <div className="flex gap-3 px-4 py-2 text-sm">
      <time dateTime={at} title={dateTime(at)} className="w-16 shrink-0 text-muted tabular-nums">
        {sinceStart(offsetMs)}
      </time>
      <div className="min-w-0 grow">
        <p className="break-words">{text}</p>
        {hasData && (
          <details className="text-muted">
            <summary className="text-xs">{plain(kind)}</summary>
            <pre tabIndex={0} className="mt-1 max-h-60 overflow-auto rounded bg-sunken p-2 font-mono text-xs">
              {JSON.stringify(data, null, 2)}
            </pre>
          </details>
        )}
      </div>
    </div>
  );
}

/** `+1:04:09` after the start. */
export function sinceStart(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return `+${shown.map((part, index) => (index ? String(part).padStart(2, "0") : part)).join(":")}`;
}
