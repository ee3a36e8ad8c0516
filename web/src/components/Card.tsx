import type { ReactNode } from "react";

import { classes } from "@/lib/classes";

type Props = { title?: ReactNode; note?: ReactNode; className?: string; children: ReactNode };

export function Card({ title, note, className, children }: Props) {
  return (
    <section className={classes("min-w-0 rounded-lg border bg-surface p-4", className)}>
      {(title || note) && (
        <header className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <h2 className="font-semibold">{title}</h2>
          {note && <div className="text-sm text-muted">{note}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
