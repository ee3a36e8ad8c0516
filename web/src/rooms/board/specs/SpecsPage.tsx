import { useQuery } from "@tanstack/react-query";
import { FileDiff } from "lucide-react";

import { statsQuery } from "@/api/board";
import { CopyLine } from "@/components/CopyLine";
import { Empty } from "@/components/States";

import { BoardPage } from "../BoardPage";
import { Filters } from "../Filters";
import { StatusChips } from "../StatusChips";
import { CHANGE_STATUSES, useBoardSearch } from "../search";
import { Views } from "../Views";
import { OrderSelect } from "../work/OrderSelect";
import { WORK_FILTERS, WorkList, wantedWork } from "../work/WorkList";
import { AppliedHistory } from "./AppliedHistory";
import { Capabilities } from "./Capabilities";

const VIEWS = [
  [undefined, "Changes"],
  ["capabilities", "What the projects do today"],
  ["history", "Applied so far"],
] as const;

/** What is to change, what the projects do today, and how it came to that. */
export function SpecsPage() {
  const [{ project, view }] = useBoardSearch();
  return (
    <BoardPage title="Specs">
      <div className="mb-4">
        <Views
          label="Specs"
          views={VIEWS.map(([key, name]) => ({
            name,
            isShown: view === key,
            to: "/board/specs",
            search: { project, view: key },
          }))}
        />
      </div>
      {view === "capabilities" ? <Capabilities /> : view === "history" ? <AppliedHistory /> : <Changes />}
    </BoardPage>
  );
}

function Changes() {
  const [search] = useBoardSearch();
  const stats = useQuery(statsQuery(search.project)).data;
  return (
    <>
      <Filters
        names={[...WORK_FILTERS, "project"]}
        hasWords
        hasDate
        below={<StatusChips statuses={CHANGE_STATUSES} counts={stats?.changes} />}
      >
        <OrderSelect />
      </Filters>
      <WorkList
        label="Changes"
        wanted={{ ...wantedWork(search), filter: "specs" }}
        whenNone={
          <Empty title="No changes yet" icon={<FileDiff className="size-6" />}>
            <p className="mb-3">
              A change is a folder in <code>openspec/changes</code>. Propose one with the button above, or in
              a terminal:
            </p>
            <CopyLine text="openspec new change add-discounts" />
          </Empty>
        }
      />
    </>
  );
}
