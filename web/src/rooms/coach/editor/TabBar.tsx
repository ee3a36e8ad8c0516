import { X } from "lucide-react";

import { classes } from "@/lib/classes";

import { isUnsaved, type Tab } from "../desk/state";

type Props = {
  tabs: readonly Tab[];
  active?: string;
  onShow: (path: string) => void;
  onClose: (tab: Tab) => void;
};

/** The open files; a dot, and a word for those who do not see it, says that one is not saved. */
export function TabBar({ tabs, active, onShow, onClose }: Props) {
  return (
    <nav aria-label="Open files" className="flex shrink-0 overflow-x-auto border-b">
      {tabs.map((tab) => (
        <div
          key={tab.path}
          className={classes(
            "flex shrink-0 items-center border-r pr-1",
            tab.path === active ? "bg-surface" : "bg-sunken",
          )}
        >
          <button
            type="button"
            title={tab.path}
            aria-current={tab.path === active ? "true" : undefined}
            onClick={() => onShow(tab.path)}
            className={classes(
              "flex items-center gap-1.5 py-1.5 pr-1 pl-3 text-sm whitespace-nowrap focus-visible:outline-offset-[-2px]",
              tab.path === active ? "font-medium" : "text-muted hover:text-ink",
            )}
          >
            {nameOf(tab.path)}
            {isUnsaved(tab) && (
              <>
                <span aria-hidden className="size-2 rounded-full bg-accent" />
                <span className="sr-only">not saved</span>
              </>
            )}
          </button>
          <button
            type="button"
            aria-label={`Close ${tab.path}`}
            title={`Close ${tab.path}`}
            onClick={() => onClose(tab)}
            className="rounded p-1 text-muted hover:bg-line hover:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </div>
      ))}
    </nav>
  );
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
