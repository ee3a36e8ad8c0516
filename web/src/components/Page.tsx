import { type ReactNode, useEffect } from "react";

import { classes } from "@/lib/classes";

type Props = {
  title: string;
  /** Shown in place of the title where it is more than words. */
  heading?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  /** A page that fills the window (the editor, split panes) scrolls inside itself. */
  isFull?: boolean;
  children: ReactNode;
};

export function Page({ title, heading, lead, actions, isFull = false, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Bottega`;
  }, [title]);

  return (
    <div
      className={isFull ? "flex h-full min-h-0 flex-col px-4 py-3" : "mx-auto max-w-6xl px-4 py-6 sm:px-6"}
    >
      <header
        className={classes(
          "flex flex-wrap items-start justify-between gap-x-6 gap-y-2",
          isFull ? "mb-3" : "mb-6",
        )}
      >
        <div className="min-w-0">
          <h1
            className={classes("font-semibold tracking-tight break-words", isFull ? "text-lg" : "text-2xl")}
          >
            {heading ?? title}
          </h1>
          {lead && <div className="mt-0.5 text-sm text-muted">{lead}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
