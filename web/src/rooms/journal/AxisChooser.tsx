import { Link } from "@tanstack/react-router";

import type { Axis } from "@/api/schema";

import { nameIn } from "@/lib/search";

import { AXES } from "./words";

/** By what experiences are held to be alike; in the address. */
export function AxisChooser({ axis, to }: { axis: Axis; to: "/journal/clusters" }) {
  return (
    <nav aria-label="Compared by" className="mb-4 flex flex-wrap items-center gap-1">
      {Object.entries(AXES).map(([name, { name: word, about }]) => (
        <Link
          key={name}
          to={to}
          search={{ axis: nameIn(AXES, name) }}
          aria-current={name === axis ? "page" : undefined}
          title={about}
          className="rounded-full border px-3 py-1 text-sm hover:bg-sunken aria-[current=page]:border-accent aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent"
        >
          {word}
        </Link>
      ))}
      <p className="basis-full text-sm text-muted">Grouped {AXES[axis].about}.</p>
    </nav>
  );
}
