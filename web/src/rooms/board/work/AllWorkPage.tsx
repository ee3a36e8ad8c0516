import { Link } from "@tanstack/react-router";
import { ListTodo } from "lucide-react";

import { buttonClass } from "@/components/Button";
import { Select } from "@/components/Field";
import { Empty } from "@/components/States";

import { BoardPage } from "../BoardPage";
import { Filters } from "../Filters";
import { StatusChips } from "../StatusChips";
import { type BoardSearch, CHANGE_STATUSES, FAILURE_STATUSES, useBoardSearch } from "../search";
import { OrderSelect } from "./OrderSelect";
import { WORK_FILTERS, WorkList, wantedWork } from "./WorkList";

/** Changes and failing tests in one list. */
export function AllWorkPage() {
  const [search, change] = useBoardSearch();
  return (
    <BoardPage title="All work">
      <Filters
        names={[...WORK_FILTERS, "project"]}
        hasWords
        hasDate
        below={<StatusChips statuses={[...CHANGE_STATUSES, ...FAILURE_STATUSES]} />}
      >
        <Select
          label="Show"
          value={search.show ?? ""}
          options={[
            ["", "Everything"],
            ["open", "Only what is open"],
            ["specs", "Only changes"],
            ["errors", "Only failing tests"],
          ]}
          onChange={(event) => change({ show: (event.target.value || undefined) as BoardSearch["show"] })}
        />
        <OrderSelect />
      </Filters>
      <WorkList label="All work" wanted={wantedWork(search)} whenNone={<NoWork />} />
    </BoardPage>
  );
}

function NoWork() {
  return (
    <Empty title="Nothing to do yet" icon={<ListTodo className="size-6" />}>
      <p className="mb-3">
        Here every change and every failing test will be listed. Propose a change, let an agent propose one,
        or send a test report.
      </p>
      <Link to="/board/new" className={buttonClass("primary")}>
        Propose a change
      </Link>
    </Empty>
  );
}
