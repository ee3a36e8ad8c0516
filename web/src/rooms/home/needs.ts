import type { LinkProps } from "@tanstack/react-router";

import type {
  Active,
  ChangeSummary,
  ClarificationView,
  FailurePage,
  OrphanView,
  RequestView,
  ResearchRunView,
  Run,
} from "@/api/schema";
import { plain, plural } from "@/lib/words";

/** One thing that waits for a person, and where it is dealt with. */
export type Need = {
  key: string;
  room: "Board" | "Research" | "Assistant" | "Journal" | "Server";
  /** What kind of thing it is, in a few words. */
  what: string;
  title: string;
  since: string;
  action: string;
  /** Somebody stands still until it is answered. */
  isBlocking: boolean;
  link: Pick<LinkProps, "to" | "params" | "search">;
};

/** Failing tests beyond this many are one line: they are sorted out together. */
const FEW = 3;

export function fromChanges(changes: readonly ChangeSummary[]): Need[] {
  return changes
    .filter(({ missing_since }) => missing_since === null)
    .map(({ project_id, id, title, status, created_at, updated_at }) => ({
      key: `change ${project_id} ${id}`,
      room: "Board",
      what: status === "review" ? "Finished, to be looked over" : "A proposal to decide on",
      title,
      since: status === "review" ? updated_at : created_at,
      action: status === "review" ? "Look it over" : "Decide",
      isBlocking: false,
      link: { to: "/board/changes/$id", params: { id }, search: { project: project_id } } as Need["link"],
    }));
}

export function fromQuestions(questions: readonly ClarificationView[]): Need[] {
  return questions.map(({ id, question, blocking, created_at }) => ({
    key: `question ${id}`,
    room: "Board",
    what: blocking ? "An agent waits for your answer" : "An agent has a question",
    title: question,
    since: created_at,
    action: "Answer",
    isBlocking: blocking,
    link: { to: "/board/approvals" },
  }));
}

export function fromFailures({ failures, total }: FailurePage): Need[] {
  if (total > FEW) {
    const since = failures.map(({ first_seen_at }) => first_seen_at).sort()[0] ?? "";
    return [
      {
        key: "failures",
        room: "Board",
        what: "Failing tests to sort out",
        title: `${plural(total, "test fails", "tests fail")}, and nobody has said what to do about them`,
        since,
        action: "Sort them out",
        isBlocking: false,
        link: { to: "/board/errors" },
      },
    ];
  }
  return failures.map(({ id, test_name, first_seen_at }) => ({
    key: `failure ${id}`,
    room: "Board",
    what: "A failing test to sort out",
    title: test_name,
    since: first_seen_at,
    action: "Sort it out",
    isBlocking: false,
    link: { to: "/board/errors/$id", params: { id } },
  }));
}

export function fromResearch(runs: readonly ResearchRunView[]): Need[] {
  return runs.map(({ id, question, created_at }) => ({
    key: `research ${id}`,
    room: "Research",
    what: "Research needs your reply",
    title: question,
    since: created_at,
    action: "Reply",
    isBlocking: true,
    link: { to: "/research/runs/$id", params: { id } },
  }));
}

const REQUESTS: Record<RequestView["kind"], string> = {
  credential: "An agent needs a credential",
  plan: "A plan to approve",
  pause: "An agent paused and needs you",
};

export function fromRequests(requests: readonly RequestView[]): Need[] {
  return requests.map(({ id, session_id, kind, asked, created_at }) => ({
    key: `request ${id}`,
    room: "Research",
    what: REQUESTS[kind],
    title: askedFor(asked),
    since: created_at,
    action: kind === "plan" ? "Read the plan" : "Answer",
    isBlocking: true,
    link: { to: "/research/sessions/$id", params: { id: session_id } },
  }));
}

function askedFor(asked: RequestView["asked"]): string {
  if ("plan" in asked) return asked.title;
  return "message" in asked ? asked.message : `${asked.name} for ${asked.source_name}`;
}

/** Paused runs of every kind but research, whose own list says more. */
export function fromRuns(runs: readonly Run[]): Need[] {
  return runs
    .filter(({ kind }) => kind !== "research")
    .map((run) => ({
      key: `run ${run.id}`,
      since: run.updated_at,
      isBlocking: true,
      title: firstWords(run.input.input, run.waiting_for?.reason) ?? run.id,
      ...(run.kind === "assistant" && run.session_id
        ? {
            room: "Assistant",
            what: "The assistant needs you",
            action: "Go on",
            link: { to: "/assistant/sessions/$id", params: { id: run.session_id } },
          }
        : {
            room: "Server",
            what: `A paused run: ${plain(run.kind)}`,
            action: "See what it did",
            link: { to: "/traces", search: { run: run.id } },
          }),
    })) as Need[];
}

export function fromActive(active: Active): Need[] {
  if (!active.has_active || !active.id || !active.created_at) return [];
  return [
    {
      key: `active ${active.id}`,
      room: "Journal",
      what: "An open prediction",
      title: active.goal ?? active.prediction ?? active.id,
      since: active.created_at,
      action: "Say how it went",
      isBlocking: false,
      link: { to: "/journal" },
    },
  ];
}

export function fromOrphans(orphans: readonly OrphanView[]): Need[] {
  return orphans.map(({ id, goal, created_at }) => ({
    key: `orphan ${id}`,
    room: "Journal",
    what: "A prediction left open",
    title: goal,
    since: created_at,
    action: "Go on with it or end it",
    isBlocking: false,
    link: { to: "/journal" },
  }));
}

/** What holds somebody up comes first; then what waits longest. */
export function inOrder(needs: readonly Need[]): Need[] {
  return needs.toSorted(
    (one, other) =>
      Number(other.isBlocking) - Number(one.isBlocking) || Date.parse(one.since) - Date.parse(other.since),
  );
}

function firstWords(...candidates: unknown[]): string | undefined {
  return candidates.find((each): each is string => typeof each === "string" && each.trim() !== "");
}
