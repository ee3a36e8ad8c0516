import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { History } from "lucide-react";

import { useRefresh } from "@/api/live";
import { sessionsQuery } from "@/api/learning";
import type { SessionLine } from "@/api/schema";
import { buttonClass } from "@/components/Button";
import { Choices } from "@/components/Choices";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";
import { VirtualList } from "@/components/VirtualList";
import { CoachTabs } from "@/rooms/coach/dashboard/CoachTabs";

import { SessionItem } from "./SessionItem";

/** The most that the server lists. */
const MOST = 500;

export type Status = "all" | "completed" | "abandoned" | "active";

const STATUSES = [
  ["all", "All"],
  ["active", "In progress"],
  ["completed", "Completed"],
  ["abandoned", "Set aside"],
] as const;

export function SessionsPage({ status }: { status: Status }) {
  const query = sessionsQuery(MOST);
  const sessions = useQuery(query);
  useRefresh(["session.*"], query.queryKey);
  return (
    <Page title="Sessions" lead="What you worked on in this project, and how it went.">
      <CoachTabs />
      <WhenReady query={sessions} lines={6}>
        {(found) => (found.sessions.length === 0 ? <None /> : <Sessions {...found} status={status} />)}
      </WhenReady>
    </Page>
  );
}

function None() {
  return (
    <Empty title="No sessions yet" icon={<History className="size-6" />}>
      <p className="mb-3">
        Each issue you work on with the coach is kept here, with everything that happened.
      </p>
      <Link to="/coach/dashboard" className={buttonClass("primary")}>
        Choose an issue
      </Link>
    </Empty>
  );
}

function Sessions({ sessions, status }: { sessions: readonly SessionLine[]; status: Status }) {
  const navigate = useNavigate();
  const shown = sessions.filter((session) => status === "all" || session.status === status);
  return (
    <div className="space-y-3">
      <Choices
        label="Which sessions"
        value={status}
        options={STATUSES}
        onChange={(chosen) => navigate({ to: "/coach/sessions", search: { status: chosen }, replace: true })}
      />
      {shown.length === 0 ? (
        <Empty title="No such session">Choose another kind above.</Empty>
      ) : (
        <div className="rounded-lg border bg-surface">
          <VirtualList items={shown} label="Sessions" rowHeight={76} keyOf={({ id }) => id}>
            {(session) => <SessionItem session={session} />}
          </VirtualList>
        </div>
      )}
      {sessions.length === MOST && (
        <p className="text-sm text-muted">The newest {MOST} are shown; older ones are kept.</p>
      )}
    </div>
  );
}
