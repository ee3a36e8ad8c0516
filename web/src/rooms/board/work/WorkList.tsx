import type { WorkWanted } from "@/api/board";
import { workQuery } from "@/api/board";
import type { ReactNode } from "react";

import { NothingFits } from "../NothingFits";
import { PagedRows } from "../PagedRows";
import { type BoardSearch, sinceOf, statusesOf } from "../search";
import { WorkRow } from "./WorkRow";

export const WORK_FILTERS = ["search", "status", "since", "show", "order"] as const;

export function wantedWork(search: BoardSearch): WorkWanted {
  return {
    project_id: search.project,
    filter: search.show,
    status: statusesOf(search),
    search: search.search,
    since: sinceOf(search),
    order: search.order,
  };
}

type Props = { label: string; wanted: WorkWanted; whenNone: ReactNode };

export function WorkList({ label, wanted, whenNone }: Props) {
  return (
    <PagedRows
      label={label}
      pageOf={(page) => workQuery(wanted, page)}
      whenEmpty={<NothingFits filters={WORK_FILTERS} whenUnfiltered={whenNone} />}
    >
      {(item) => <WorkRow item={item} />}
    </PagedRows>
  );
}
