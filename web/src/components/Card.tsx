import type { ReactNode } from "react";

type Props = { title: string; note?: ReactNode; children: ReactNode };

export function Card({ title, note, children }: Props) {
  return (
    <section className="rounded-lg border border-stone-200 bg-white p-4 dark:border-stone-800 dark:bg-stone-900">
      <header className="mb-3 flex items-baseline justify-between gap-4">
        <h2 className="text-sm font-semibold">{title}</h2>
        {note && <span className="text-xs text-stone-500 dark:text-stone-400">{note}</span>}
      </header>
      {children}
    </section>
  );
}
