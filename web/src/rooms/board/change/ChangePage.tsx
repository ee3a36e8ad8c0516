import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { type ChangeRef, changeQuery } from "@/api/changes";
import { ServerError } from "@/api/client";
import type { AgentType, ChangeView } from "@/api/schema";
import { projectQuery } from "@/api/projects";
import { Badge } from "@/components/Badge";
import { Page } from "@/components/Page";
import { Empty, Loading, Problem } from "@/components/States";
import { Time } from "@/components/Time";
import { plain } from "@/lib/words";

import { ChangeTabs } from "./ChangeTabs";
import { Facts } from "./Facts";
import { LifeCycle } from "./LifeCycle";
import { stateOf } from "./lifecycle";
import { Notes } from "./Notes";
import { Panel } from "./Panel";
import type { Tab } from "./tabs";
import { useChangeNews } from "./useChange";
import { WhatNext } from "./WhatNext";
import { WhichProject } from "./WhichProject";

type Props = { id: string; project?: string; tab?: Tab; agent?: AgentType };

/** One change: where it is, what can be decided, and everything that is written about it. */
export function ChangePage({ id, project, tab = "proposal", agent = "general-purpose" }: Props) {
  const at: ChangeRef = { id, project };
  const change = useQuery(changeQuery(at));
  useChangeNews(at);

  if (!change.data) {
    return (
      <Page title={id} lead={<BackToBoard />}>
        {change.error ? (
          <NotShown id={id} error={change.error} onRetry={change.refetch} />
        ) : (
          <Loading lines={8} />
        )}
      </Page>
    );
  }
  const { data } = change;
  const { tone, means } = stateOf(data.status);
  return (
    <Page
      title={data.title}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {data.title}
          <Badge tone={tone} title={means}>
            {plain(data.status)}
          </Badge>
        </span>
      }
      lead={<Lead change={data} />}
    >
      <div className="space-y-4">
        <Notes at={at} change={data} />
        <section aria-label="Status" className="space-y-4 rounded-lg border bg-surface p-4">
          <LifeCycle change={data} />
          <Facts at={at} change={data} />
        </section>
        <WhatNext at={at} change={data} />
        <div>
          <ChangeTabs at={at} change={data} tab={tab} />
          <Panel key={`${tab}:${data.project_id}/${data.id}`} at={at} change={data} tab={tab} agent={agent} />
        </div>
      </div>
    </Page>
  );
}

function BackToBoard() {
  return (
    <Link to="/board" className="text-accent underline underline-offset-2">
      Board
    </Link>
  );
}

function Lead({ change }: { change: ChangeView }) {
  const project = useQuery(projectQuery(change.project_id));
  return (
    <p className="flex flex-wrap gap-x-2">
      <BackToBoard />
      <span aria-hidden>/</span>
      <span title={project.data?.path}>{project.data?.name ?? "…"}</span>
      <span aria-hidden>/</span>
      <code className="font-mono break-all">{change.id}</code>
      <span>
        · changed <Time at={change.updated_at} />
      </span>
    </p>
  );
}

type NotShownProps = { id: string; error: Error; onRetry: () => unknown };

function NotShown({ id, error, onRetry }: NotShownProps) {
  if (error instanceof ServerError && error.status === 404) {
    return (
      <Empty title="There is no such change.">
        <p>{error.message}</p>
      </Empty>
    );
  }
  if (error instanceof ServerError && Array.isArray(error.details.valid_options)) {
    return <WhichProject id={id} error={error} projects={error.details.valid_options as string[]} />;
  }
  return <Problem error={error} onRetry={() => void onRetry()} />;
}
