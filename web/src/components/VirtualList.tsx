import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";

import { classes } from "@/lib/classes";

type Props<T> = {
  items: readonly T[];
  label: string;
  /** A row's height before it is measured. */
  rowHeight?: number;
  keyOf: (item: T) => string;
  children: (item: T, index: number) => ReactNode;
  className?: string;
};

/** A list of any length: only the rows in sight are in the page. */
export function VirtualList<T>({ items, label, rowHeight = 56, keyOf, children, className }: Props<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keyOf(items[index] as T),
    overscan: 8,
  });

  return (
    <div ref={scroller} tabIndex={0} className={classes("overflow-y-auto", className ?? "max-h-[70vh]")}>
      <ul aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => (
          <li
            key={row.key}
            ref={rows.measureElement}
            data-index={row.index}
            aria-setsize={items.length}
            aria-posinset={row.index + 1}
            className="absolute inset-x-0 border-b last:border-b-0"
            style={{ transform: `translateY(${row.start}px)` }}
          >
            {children(items[row.index] as T, row.index)}
          </li>
        ))}
      </ul>
    </div>
  );
}
