import { CircleCheckBig } from "lucide-react";

import { type FailuresWanted, failuresQuery } from "@/api/board";
import { CopyLine } from "@/components/CopyLine";
import { Select } from "@/components/Field";
import { Empty } from "@/components/States";
import { plain } from "@/lib/words";

import { BoardPage } from "../BoardPage";
import { Filters } from "../Filters";
import { NothingFits } from "../NothingFits";
import { PagedRows } from "../PagedRows";
import { type BoardSearch, CLASSES, DECISIONS, sinceOf, useBoardSearch } from "../search";
import { AgreementNote } from "./AgreementNote";
import { FailureRow } from "./FailureRow";

const FILTERS = ["search", "since", "class", "state", "decision"] as const;

/** Failing tests, what fails now first, the most urgent before the others. */
export function ErrorsPage() {
  const [search] = useBoardSearch();
  const wanted = wantedFailures(search);
  return (
    <BoardPage title="Errors">
      <Filters names={[...FILTERS, "project"]} hasWords hasDate>
        <Chosen name="state" label="State" any="Failing and green" options={["failing", "green"]} />
        <Chosen name="class" label="Class" any="Every class" options={CLASSES} />
        <Chosen name="decision" label="Decision" any="Every decision" options={DECISIONS} />
      </Filters>
      <AgreementNote project={search.project} />
      <PagedRows
        label="Failing tests"
        pageOf={(page) => failuresQuery(wanted, page)}
        rowHeight={96}
        whenEmpty={<NothingFits filters={FILTERS} whenUnfiltered={<NoFailures />} />}
      >
        {(failure) => <FailureRow failure={failure} />}
      </PagedRows>
    </BoardPage>
  );
}

function wantedFailures(search: BoardSearch): FailuresWanted {
  return {
    project_id: search.project,
    classification: search.class,
    status: search.state,
    decision: search.decision,
    search: search.search,
    since: sinceOf(search),
  };
}

type ChosenProps = {
  name: "state" | "class" | "decision";
  label: string;
  any: string;
  options: readonly string[];
};

function Chosen({ name, label, any, options }: ChosenProps) {
  const [search, change] = useBoardSearch();
  return (
    <Select
      label={label}
      value={search[name] ?? ""}
      options={[["", any], ...options.map((option) => [option, plain(option.toLowerCase())] as const)]}
      onChange={(event) => change({ [name]: event.target.value || undefined })}
    />
  );
}

function NoFailures() {
  return (
    <Empty title="No failing tests are known" icon={<CircleCheckBig className="size-6" />}>
      <p className="mb-3">
        Send a report with the button above: JUnit XML (pytest and most others write it) or Playwright's JSON.
        Or from a terminal:
      </p>
      <div className="space-y-2 text-left">
        <CopyLine text="pytest --junitxml=report.xml" />
        <CopyLine text="bottega board import report.xml" />
      </div>
    </Empty>
  );
}
