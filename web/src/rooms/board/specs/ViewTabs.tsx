import { Link } from "@tanstack/react-router";

import { classes } from "@/lib/classes";

import { type BoardSearch, useBoardSearch } from "../search";

const VIEWS: readonly (readonly [BoardSearch["view"], string])[] = [
  [undefined, "Changes"],
  ["capabilities", "What the projects do today"],
  ["history", "Applied so far"],
];

export function ViewTabs() {
  const [{ project, view }] = useBoardSearch();
  return (
    <nav aria-label="Specs" className="mb-4 flex flex-wrap gap-1">
      {VIEWS.map(([name, title]) => (
        <Link
          key={title}
          to="/board/specs"
          search={{ project, view: name }}
          aria-current={view === name ? "page" : undefined}
          activeProps={{ "aria-current": undefined }}
          className={classes(
            "rounded-md px-2.5 py-1 text-sm",
            view === name
              ? "bg-accent-soft font-medium text-accent"
              : "text-muted hover:bg-sunken hover:text-ink",
          )}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
