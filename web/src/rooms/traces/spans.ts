import type { SpanView } from "@/api/schema";

export type SpanLine = {
  span: SpanView;
  hasChildren: boolean;
  isOpen: boolean;
  /** Where its bar begins and how wide it is, as shares of the whole. */
  start: number;
  width: number;
};

type Frame = { begin: number; length: number };

/** The lines of the tree that can be seen, in order; what is in `closed` hides what is below it. */
export function seen(spans: readonly SpanView[], closed: ReadonlySet<string>): SpanLine[] {
  const frame = wholeOf(spans);
  const lines: SpanLine[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  spans.forEach((span, place) => {
    if (span.depth > hiddenBelow) return;
    const hasChildren = (spans[place + 1]?.depth ?? 0) > span.depth;
    const isOpen = !closed.has(span.span_id);
    hiddenBelow = hasChildren && !isOpen ? span.depth : Number.POSITIVE_INFINITY;
    lines.push({
      span,
      hasChildren,
      isOpen,
      start: (moment(span.started_at) - frame.begin) / frame.length,
      width: span.duration_ms / frame.length,
    });
  });
  return lines;
}

export function wholeOf(spans: readonly SpanView[]): Frame {
  const begin = Math.min(...spans.map(({ started_at }) => moment(started_at)));
  const end = Math.max(...spans.map((span) => moment(span.started_at) + span.duration_ms));
  return { begin, length: Math.max(end - begin, 0.001) };
}

/** Milliseconds with what is behind the point: a `Date` forgets microseconds, and spans are short. */
export function moment(at: string): number {
  const fraction = /\.\d{3}(\d+)/.exec(at)?.[1] ?? "";
  return Date.parse(at) + Number(`0.${fraction || 0}`);
}

export function parentOf(lines: readonly SpanLine[], place: number): number {
  const depth = lines[place]?.span.depth ?? 0;
  for (let above = place - 1; above >= 0; above -= 1) {
    if ((lines[above]?.span.depth ?? 0) < depth) return above;
  }
  return place;
}

export function tokensOf({ attributes }: SpanView): number {
  return (
    numberOf(attributes["gen_ai.usage.input_tokens"]) + numberOf(attributes["gen_ai.usage.output_tokens"])
  );
}

export function costOf({ attributes }: SpanView): number {
  return numberOf(attributes["bottega.cost_usd"]);
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
