import type { WorkWanted } from "@/api/board";
import { workQuery } from "@/api/board";
import { Button } from "@/components/Button";
import { Empty } from "@/components/States";
import type { ReactNode } from "react";

import { PagedRows } from "../PagedRows";
import { type BoardSearch, statusesOf, useBoardSearch } from "../search";
import { WorkRow } from "./WorkRow";

export const WORK_FILTERS = ["search", "status", "since", "show", "order"] as const;

export function wantedWork(search: BoardSearch): WorkWanted {
  return {
    project_id: search.project,
    filter: search.show,
    status: statusesOf(search),
    search: search.search,
    since: search.since && new Date(`${search.since}T00:00:00`).toISOString(),
    order: search.order,
  };
}

type Props = { label: string; wanted: WorkWanted; whenNone: ReactNode };

export function WorkList({ label, wanted, whenNone }: Props) {
  const [search, change] = useBoardSearch();
  const isFiltered = WORK_FILTERS.some((name) => search[name] !== undefined);
  const clear = () => change(Object.fromEntries(WORK_FILTERS.map((name) => [name, undefined])));
  return (
    <PagedRows
      label={label}
      pageOf={(page) => workQuery(wanted, page)}
      whenEmpty={
        isFiltered ? (
          <Empty title="Nothing fits these filters">
            <Button onClick={clear}>Clear filters</Button>
          </Empty>
        ) : (
          whenNone
        )
      }
    >
      {(item) => <WorkRow item={item} />}
    </PagedRows>
  );
}
