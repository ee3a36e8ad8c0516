import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";

import { questionsQuery, statsQuery } from "@/api/board";
import type { BoardStats, ProjectLoad, Recommended } from "@/api/schema";
import { count, plural } from "@/lib/words";

type Figure = { name: string; value: string; about: string } & Pick<LinkProps, "to" | "search">;

/** The numbers to steer by, each a way to what it counts. */
export function Stats({ project }: { project?: string }) {
  const stats = useQuery(statsQuery(project)).data;
  const questions = useQuery(questionsQuery(project)).data?.length ?? 0;
  if (!stats) return <div aria-hidden className="mb-4 h-20 rounded-lg border bg-surface" />;
  return (
    <section aria-label="Numbers" className="mb-4">
      <dl className="grid grid-cols-3 gap-px overflow-hidden rounded-lg border bg-line lg:grid-cols-6">
        {figures(stats, questions, project).map(({ name, value, about, ...link }) => (
          <div key={name} title={about} className="flex flex-col-reverse bg-surface px-3 py-2">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="text-xl font-semibold">
              <Link {...(link as LinkProps)} className="hover:text-accent hover:underline">
                {value}
              </Link>
            </dd>
          </div>
        ))}
      </dl>
      <Advice loads={stats.projects} />
    </section>
  );
}

function figures(stats: BoardStats, questions: number, project?: string): Figure[] {
  const waiting = stats.waiting_for_approval + stats.waiting_for_review + questions;
  const underWay = stats.projects.reduce((sum, load) => sum + load.under_way, 0);
  const at = (more: object) => ({ project, ...more });
  return [
    {
      name: "wait for you",
      value: count(waiting),
      about: "To approve, to confirm, to answer",
      to: "/board/approvals",
      search: at({}),
    },
    {
      name: "in the queue",
      value: count(stats.queue_depth),
      about: "Approved, in nobody's hands",
      to: "/board/specs",
      search: at({ status: "approved" }),
    },
    {
      name: "under way",
      value: count(underWay),
      about: "In an agent's hands",
      to: "/board/specs",
      search: at({ status: "assigned.in_progress" }),
    },
    {
      name: "tests failing",
      value: count(stats.failing),
      about: "Failures whose test is red now",
      to: "/board/errors",
      search: at({}),
    },
    {
      name: "agents at work",
      value: count(stats.active_sessions),
      about: "Heard of in the last ten minutes",
      to: "/board/sessions",
      search: at({}),
    },
    {
      name: "agents needed",
      value: range(total(stats.projects)),
      about: "How many sessions the open work would keep busy",
      to: "/board/sessions",
      search: at({}),
    },
  ];
}

function total(loads: readonly ProjectLoad[]): Recommended {
  const each = loads.map(({ recommended_sessions }) => recommended_sessions);
  return {
    least: each.reduce((sum, { least }) => sum + least, 0),
    most: each.some(({ most }) => most === null)
      ? null
      : each.reduce((sum, { most }) => sum + (most ?? 0), 0),
  };
}

export function range({ least, most }: Recommended): string {
  if (most === null) return `${least}+`;
  return most === least ? `${least}` : `${least}–${most}`;
}

/** Where more agents would find work than there are. */
function Advice({ loads }: { loads: readonly ProjectLoad[] }) {
  const short = loads.filter((load) => load.active_sessions < load.recommended_sessions.least);
  if (short.length === 0) return null;
  return (
    <p className="mt-2 text-sm text-muted">
      {short.map((load) => (
        <span key={load.project_id} className="mr-3">
          <strong className="font-medium text-ink">{load.name}</strong> has{" "}
          {plural(load.queue_depth + load.under_way, "open change")} and{" "}
          {plural(load.active_sessions, "agent")}: {range(load.recommended_sessions)} would be kept busy.
        </span>
      ))}
    </p>
  );
}
