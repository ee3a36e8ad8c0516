import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";

import { useLive } from "@/api/live";
import { sessionReportQuery } from "@/api/coaching";
import { LEARNING, timelineQuery } from "@/api/learning";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Choices } from "@/components/Choices";
import { Markdown } from "@/components/Markdown";
import { Page } from "@/components/Page";
import { WhenReady } from "@/components/States";

import { SessionFacts } from "./SessionItem";
import { canGoOn, titleOf, useResume } from "./sessions";
import { Timeline } from "./Timeline";

export type View = "report" | "timeline";

const VIEWS = [
  ["report", "Report"],
  ["timeline", "Everything that happened"],
] as const;

export function SessionPage({ id, view }: { id: string; view: View }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const timeline = useQuery(timelineQuery(id));
  const resume = useResume();
  const session = timeline.data?.session;
  useLive(["action.logged", "session.*"], (event) => {
    if (event.session_id === id) void queries.invalidateQueries({ queryKey: [...LEARNING, "session", id] });
  });

  return (
    <Page
      title={session ? titleOf(session) : "Session"}
      lead={session && <SessionFacts {...session} />}
      actions={
        <>
          <Link to="/coach/sessions" className="text-sm text-accent underline">
            All sessions
          </Link>
          {session && canGoOn(session.status) && (
            <Button kind="primary" isBusy={resume.isPending} onClick={() => resume.mutate(id)}>
              Go on
            </Button>
          )}
        </>
      }
    >
      <div className="mb-4 flex">
        <Choices
          label="What to show"
          value={view}
          options={VIEWS}
          onChange={(chosen) =>
            navigate({ to: "/coach/sessions/$id", params: { id }, search: { view: chosen } })
          }
        />
      </div>
      {view === "report" ? (
        <Report id={id} />
      ) : (
        <WhenReady query={timeline} lines={8}>
          {({ moments }) => <Timeline moments={moments} />}
        </WhenReady>
      )}
    </Page>
  );
}

function Report({ id }: { id: string }) {
  const report = useQuery(sessionReportQuery(id));
  return (
    <Card>
      <WhenReady query={report} lines={8}>
        {({ markdown }) => <Markdown text={forThePage(markdown)} />}
      </WhenReady>
    </Card>
  );
}

/** The page has the report's first heading already, and knows no box for a phase that is under way. */
export function forThePage(markdown: string): string {
  return markdown.replace(/^# .*\n+/, "").replace(/^- \[~\] (.*)$/gm, "- [ ] $1 (under way)");
}
