import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useRef, useState } from "react";

import type { SpanView } from "@/api/schema";
import { Card } from "@/components/Card";

import { SpanRow } from "./SpanRow";
import { parentOf, seen } from "./spans";

type Props = { traceId: string; spans: readonly SpanView[]; chosenId: string | undefined };

/** Spans nested on one axis of time. The arrow keys walk, open and close, as in any tree. */
export function SpanTree({ traceId, spans, chosenId }: Props) {
  const navigate = useNavigate();
  const tree = useRef<HTMLDivElement>(null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const lines = seen(spans, closed);
  const chosen = Math.max(
    lines.findIndex(({ span }) => span.span_id === chosenId),
    0,
  );

  function choose(place: number) {
    const line = lines[place];
    if (!line) return;
    void navigate({
      to: "/traces/$id",
      params: { id: traceId },
      search: { span: line.span.span_id },
      replace: true,
      resetScroll: false,
    });
    tree.current?.querySelectorAll<HTMLElement>("[role=treeitem]")[place]?.focus();
  }

  function toggle(place: number, isOpen: boolean) {
    const id = lines[place]?.span.span_id;
    if (!id) return;
    const next = new Set(closed);
    if (isOpen) next.delete(id);
    else next.add(id);
    setClosed(next);
  }

  function press(event: KeyboardEvent) {
    const line = lines[chosen];
    const moves: Record<string, () => void> = {
      ArrowDown: () => choose(chosen + 1),
      ArrowUp: () => choose(chosen - 1),
      Home: () => choose(0),
      End: () => choose(lines.length - 1),
      ArrowRight: () => (line?.hasChildren && !line.isOpen ? toggle(chosen, true) : choose(chosen + 1)),
      ArrowLeft: () =>
        line?.hasChildren && line.isOpen ? toggle(chosen, false) : choose(parentOf(lines, chosen)),
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  }

  return (
    <Card title="Steps" note="Arrow keys walk through them">
      <div
        ref={tree}
        role="tree"
        aria-label="Steps of the trace"
        onKeyDown={press}
        className="-mx-2 max-h-[65vh] overflow-y-auto"
      >
        {lines.map((line, place) => (
          <SpanRow
            key={line.span.span_id}
            line={line}
            isChosen={place === chosen}
            onChoose={() => choose(place)}
            onToggle={() => toggle(place, !line.isOpen)}
          />
        ))}
      </div>
    </Card>
  );
}
