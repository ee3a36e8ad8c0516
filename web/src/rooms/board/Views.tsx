import { Link, type LinkProps } from "@tanstack/react-router";

import { classes } from "@/lib/classes";

type View = { name: string; isShown: boolean } & Pick<LinkProps, "to" | "search">;

/** Sides of one tab, each with an address. */
export function Views({ label, views }: { label: string; views: readonly View[] }) {
  return (
    <nav aria-label={label} className="flex flex-wrap gap-1">
      {views.map(({ name, isShown, ...link }) => (
        <Link
          key={name}
          {...(link as LinkProps)}
          aria-current={isShown ? "page" : undefined}
          activeProps={{ "aria-current": isShown ? "page" : undefined }}
          className={classes(
            "rounded-md px-2.5 py-1 text-sm",
            isShown ? "bg-accent-soft font-medium text-accent" : "text-muted hover:bg-sunken hover:text-ink",
          )}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
