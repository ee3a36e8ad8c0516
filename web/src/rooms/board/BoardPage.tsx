import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { ReactNode } from "react";

import { questionsQuery, statsQuery } from "@/api/board";
import { projectsQuery } from "@/api/projects";
import { Badge } from "@/components/Badge";
import { buttonClass } from "@/components/Button";
import { LinkTabs } from "@/components/LinkTabs";
import { Page } from "@/components/Page";
import { WhenReady } from "@/components/States";
import { count } from "@/lib/words";

import { NoProjects } from "./NoProjects";
import { UploadReport } from "./reports/UploadReport";
import { Stats } from "./Stats";
import { useBoardSearch } from "./search";
import { useBoardRefresh } from "./useBoardRefresh";

/** What is around every list of the board: the numbers, the tabs, and what can be begun from anywhere. */
export function BoardPage({ title, children }: { title: string; children: ReactNode }) {
  useBoardRefresh();
  const projects = useQuery(projectsQuery);
  return (
    <Page
      title={`${title} · Board`}
      heading="Board"
      lead="Changes and failing tests, from proposal to confirmation."
      actions={projects.data && projects.data.length > 0 && <Actions />}
    >
      <WhenReady query={projects}>
        {(found) =>
          found.length === 0 ? (
            <NoProjects />
          ) : (
            <>
              <Tabs />
              {children}
            </>
          )
        }
      </WhenReady>
    </Page>
  );
}

function Actions() {
  return (
    <>
      <UploadReport />
      <Link to="/board/new" className={buttonClass("primary")}>
        <Plus aria-hidden className="size-4" />
        New change
      </Link>
    </>
  );
}

function Tabs() {
  const [{ project }] = useBoardSearch();
  const stats = useQuery(statsQuery(project)).data;
  const questions = useQuery(questionsQuery(project)).data?.length ?? 0;
  const waiting = stats ? stats.waiting_for_approval + stats.waiting_for_review + questions : 0;
  const open = Object.entries(stats?.changes ?? {}).reduce(
    (sum, [status, number]) => (status === "archived" ? sum : sum + number),
    0,
  );
  const search = { project };
  return (
    <>
      <Stats project={project} />
      <LinkTabs
        label="Board"
        tabs={[
          { name: "All work", to: "/board", search },
          { name: "Specs", to: "/board/specs", search, note: <Count of={open} /> },
          { name: "Errors", to: "/board/errors", search, note: <Count of={stats?.failing ?? 0} /> },
          { name: "Approvals", to: "/board/approvals", search, note: <Count of={waiting} isCall /> },
          {
            name: "Sessions",
            to: "/board/sessions",
            search,
            note: <Count of={stats?.active_sessions ?? 0} />,
          },
          { name: "Knowledge", to: "/board/knowledge", search },
        ]}
      />
    </>
  );
}

function Count({ of, isCall = false }: { of: number; isCall?: boolean }) {
  return of > 0 ? <Badge tone={isCall ? "accent" : "neutral"}>{count(of)}</Badge> : null;
}
