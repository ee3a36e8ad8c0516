import { Button } from "@/components/Button";
import { Empty } from "@/components/States";
import type { ReactNode } from "react";

import { type BoardSearch, useBoardSearch } from "./search";

type Props = { filters: readonly (keyof BoardSearch)[]; whenUnfiltered: ReactNode };

/** An empty list: because of its filters, or because there is nothing yet. */
export function NothingFits({ filters, whenUnfiltered }: Props) {
  const [search, change] = useBoardSearch();
  if (filters.every((name) => search[name] === undefined)) return whenUnfiltered;
  return (
    <Empty title="Nothing matches these filters">
      <Button onClick={() => change(Object.fromEntries(filters.map((name) => [name, undefined])))}>
        Clear filters
      </Button>
    </Empty>
  );
}
