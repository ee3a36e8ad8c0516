import { classes } from "@/lib/classes";
import { count, plain } from "@/lib/words";

import { type AnyStatus, statusesOf, useBoardSearch } from "./search";
import { STATUS } from "./statuses";

type Props = { statuses: readonly AnyStatus[]; counts?: Record<string, number> };

/** States to choose, several at a time; none chosen means all. */
export function StatusChips({ statuses, counts }: Props) {
  const [search, change] = useBoardSearch();
  const chosen = statusesOf(search);

  function toggle(status: AnyStatus) {
    const next = chosen.includes(status) ? chosen.filter((one) => one !== status) : [...chosen, status];
    change({ status: next.join(".") || undefined });
  }

  return (
    <fieldset className="w-full">
      <legend className="mb-1 text-sm font-medium">Status</legend>
      <div className="flex flex-wrap gap-1.5">
        {statuses.map((status) => {
          const isChosen = chosen.includes(status);
          return (
            <button
              key={status}
              type="button"
              aria-pressed={isChosen}
              title={STATUS[status].means}
              onClick={() => toggle(status)}
              className={classes(
                "rounded-full border px-2.5 py-0.5 text-sm",
                isChosen
                  ? "border-accent bg-accent-soft font-medium text-accent"
                  : "bg-surface text-muted hover:text-ink",
              )}
            >
              {plain(status)}
              {counts?.[status] !== undefined && ` ${count(counts[status])}`}
            </button>
          );
        })}
      </div>
    </fieldset>
  );
}
