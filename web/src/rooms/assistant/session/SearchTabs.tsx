import { Link } from "@tanstack/react-router";

type Props = {
  label: string;
  /** The part of the address that chooses. */
  name: "pane" | "view";
  tabs: readonly (readonly [value: string, label: string])[];
  chosen: string;
};

/** Tabs within a page whose choice is part of its address. */
export function SearchTabs({ label, name, tabs, chosen }: Props) {
  return (
    <nav aria-label={label} className="mb-3 flex shrink-0 gap-1 overflow-x-auto border-b">
      {tabs.map(([value, title]) => (
        <Link
          key={value}
          to="."
          search={(now) => ({ ...now, [name]: value })}
          resetScroll={false}
          activeProps={{}}
          aria-current={value === chosen ? "true" : undefined}
          className="-mb-px border-b-2 border-transparent px-3 py-1.5 text-sm whitespace-nowrap text-muted hover:text-ink [&[aria-current]]:border-accent [&[aria-current]]:font-medium [&[aria-current]]:text-ink"
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
