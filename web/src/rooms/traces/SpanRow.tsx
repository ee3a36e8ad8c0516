import { ChevronDown, ChevronRight } from "lucide-react";

import { classes } from "@/lib/classes";
import { count, duration, money } from "@/lib/words";

import { costOf, type SpanLine, tokensOf } from "./spans";

type Props = { line: SpanLine; isChosen: boolean; onChoose: () => void; onToggle: () => void };

const COLOURS: Record<string, string> = {
  model: "bg-accent",
  tool: "bg-info",
  run: "bg-line-strong",
  memory: "bg-good",
  retrieval: "bg-good",
  hook: "bg-warn",
};

/** One step: its name, what it took, and its bar on the axis of time. */
export function SpanRow({ line, isChosen, onChoose, onToggle }: Props) {
  const { span, hasChildren, isOpen, start, width } = line;
  const hasFailed = span.status === "error";
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <div
      role="treeitem"
      aria-level={span.depth + 1}
      aria-selected={isChosen}
      aria-expanded={hasChildren ? isOpen : undefined}
      tabIndex={isChosen ? 0 : -1}
      onClick={onChoose}
      onKeyDown={(event) => event.key === "Enter" && onChoose()}
      className={classes(
        "cursor-pointer rounded px-2 py-1.5 text-sm -outline-offset-2",
        isChosen ? "bg-sunken" : "hover:bg-sunken",
      )}
    >
      <div className="flex items-baseline gap-2" style={{ paddingLeft: `${span.depth * 0.9}rem` }}>
        <span
          aria-hidden
          className="w-4 shrink-0 self-center text-muted"
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
        >
          {hasChildren && <Chevron className="size-4" />}
        </span>
        <span className="min-w-0 grow truncate">
          {span.name}
          <span className="text-xs text-muted"> {span.kind}</span>
          {hasFailed && <span className="text-xs font-medium text-bad"> failed</span>}
        </span>
        <span className="shrink-0 text-xs text-muted tabular-nums">
          {tokensOf(span) > 0 && `${count(tokensOf(span))} tokens · `}
          {costOf(span) > 0 && `${money(costOf(span))} · `}
          {duration(span.duration_ms)}
        </span>
      </div>
      <div aria-hidden className="mt-1 h-1.5 rounded-full bg-line/60">
        <div
          className={classes(
            "h-full min-w-0.5 rounded-full",
            hasFailed ? "bg-bad" : (COLOURS[span.kind] ?? "bg-line-strong"),
          )}
          style={{ marginLeft: `${Math.min(start, 0.995) * 100}%`, width: `${width * 100}%` }}
        />
      </div>
    </div>
  );
}
