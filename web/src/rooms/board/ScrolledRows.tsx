import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

import { classes } from "@/lib/classes";

type Props = {
  count: number;
  label: string;
  /** A row's height before it is measured. */
  rowHeight: number;
  rowClass?: string;
  keyOf?: (index: number) => string | number;
  children: (index: number) => ReactNode;
};

/** A list of any length that scrolls with its page: only the rows in sight are in it. */
export function ScrolledRows({ count, label, rowHeight, rowClass, keyOf, children }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const above = useHeightAbove(list);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => list.current?.closest("main") ?? null,
    estimateSize: () => rowHeight,
    getItemKey: keyOf ?? ((index) => index),
    scrollMargin: above,
    overscan: 8,
  });

  return (
    <ul ref={list} aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
      {rows.getVirtualItems().map((row) => (
        <li
          key={row.key}
          ref={rows.measureElement}
          data-index={row.index}
          aria-setsize={count}
          aria-posinset={row.index + 1}
          className={classes("absolute inset-x-0", rowClass)}
          style={{ transform: `translateY(${row.start - above}px)` }}
        >
          {children(row.index)}
        </li>
      ))}
    </ul>
  );
}

/** How far below the top of what scrolls the list begins: filters above it wrap and messages come and go. */
function useHeightAbove(list: React.RefObject<HTMLElement | null>): number {
  const [above, setAbove] = useState(0);

  useLayoutEffect(() => {
    const scroller = list.current?.closest("main");
    if (!scroller?.firstElementChild) return;
    const measure = () => {
      if (!list.current) return;
      const top = list.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
      setAbove(Math.round(top + scroller.scrollTop));
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(scroller.firstElementChild);
    return () => watcher.disconnect();
  }, [list]);

  return above;
}
