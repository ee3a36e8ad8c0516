import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { PAGE, type RowsQuery } from "@/api/board";
import { Problem, WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

import { ScrolledRows } from "./ScrolledRows";

type PageOf<T> = (page: number) => RowsQuery<T>;

type Props<T> = {
  label: string;
  pageOf: PageOf<T>;
  whenEmpty: ReactNode;
  rowHeight?: number;
  children: (item: T) => ReactNode;
};

/** A list as long as the server has it, whose pages are asked for as they come into sight. */
export function PagedRows<T>({ label, pageOf, whenEmpty, rowHeight = 68, children }: Props<T>) {
  const first = useQuery({ ...pageOf(0), placeholderData: keepPreviousData });
  return (
    <WhenReady query={first} lines={8}>
      {({ total }) =>
        total === 0 ? (
          whenEmpty
        ) : (
          <>
            <p className="mb-2 text-sm text-muted" role="status">
              {plural(total, "item")}
            </p>
            <div className="rounded-lg border bg-surface">
              <ScrolledRows
                count={total}
                label={label}
                rowHeight={rowHeight}
                rowClass="border-b last:border-0"
              >
                {(index) => (
                  <Row index={index} pageOf={pageOf} height={rowHeight}>
                    {children}
                  </Row>
                )}
              </ScrolledRows>
            </div>
          </>
        )
      }
    </WhenReady>
  );
}

type RowProps<T> = {
  index: number;
  pageOf: PageOf<T>;
  height: number;
  children: (item: T) => ReactNode;
};

function Row<T>({ index, pageOf, height, children }: RowProps<T>) {
  const page = useQuery({ ...pageOf(Math.floor(index / PAGE)), placeholderData: keepPreviousData });
  const item = page.data?.rows[index % PAGE];
  if (item !== undefined) return children(item);
  if (page.error) return <Problem error={page.error} onRetry={() => void page.refetch()} />;
  return (
    <div aria-hidden className="p-3" style={{ height }}>
      <div className="h-4 w-2/3 rounded bg-sunken" />
    </div>
  );
}
