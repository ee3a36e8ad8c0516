import { useNavigate, useSearch } from "@tanstack/react-router";

import type { ChangeStatus, Decision, FailureClass, FailureStatus } from "@/api/schema";

export const CHANGE_STATUSES = [
  "proposing",
  "approved",
  "assigned",
  "in_progress",
  "review",
  "applied",
  "archived",
] as const satisfies readonly ChangeStatus[];

export const FAILURE_STATUSES = [
  "new",
  "triaged",
  "in_remediation",
  "fixed",
] as const satisfies readonly FailureStatus[];

export const CLASSES = ["PERSISTENT", "RECURRING", "FLAKY", "NEW"] as const satisfies readonly FailureClass[];
export const DECISIONS = ["pending", "needs_spec", "ignore"] as const satisfies readonly Decision[];
export const TIERS = ["project", "global", "task"] as const;

export type AnyStatus = ChangeStatus | FailureStatus;

const STATUSES: readonly string[] = [...CHANGE_STATUSES, ...FAILURE_STATUSES];

const words = (value: unknown) => String(value ?? "").slice(0, 200) || undefined;

const oneOf =
  <T extends string>(...options: readonly T[]) =>
  (value: unknown) =>
    options.find((option) => option === value);

/** Whatever stands in an address, or nothing where it makes no sense. */
const READERS = {
  project: words,
  search: words,
  since: (value: unknown) => words(value)?.match(/^\d{4}-\d\d-\d\d$/)?.[0],
  /** Several, with a dot between them. */
  status: (value: unknown) =>
    words(value)
      ?.split(".")
      .filter((status) => STATUSES.includes(status))
      .join(".") || undefined,
  show: oneOf("open", "specs", "errors"),
  order: oneOf("priority"),
  class: oneOf(...CLASSES),
  decision: oneOf(...DECISIONS),
  state: oneOf("failing", "green"),
  view: oneOf("capabilities", "history"),
  spec: words,
  ended: oneOf("yes"),
  tier: oneOf(...TIERS),
  category: words,
} satisfies Record<string, (value: unknown) => string | undefined>;

export type BoardSearch = { [K in keyof typeof READERS]?: ReturnType<(typeof READERS)[K]> };

/** For a route's `validateSearch`: these of the board's filters, and no others. */
export function reads<K extends keyof BoardSearch>(...names: readonly K[]) {
  return (raw: Record<string, unknown>): Pick<BoardSearch, K> => {
    const read = names.map((name) => [name, READERS[name](raw[name])] as const);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Pick<BoardSearch, K>;
  };
}

export function statusesOf({ status }: BoardSearch): AnyStatus[] {
  return (status?.split(".") ?? []) as AnyStatus[];
}

/** The beginning of that day, where the person is. */
export function sinceOf({ since }: BoardSearch): string | undefined {
  return since && new Date(`${since}T00:00:00`).toISOString();
}

type Change = (change: BoardSearch, how?: { isTyping?: boolean }) => void;

/** The filters in the address, and a way to change some; while somebody types, no step back is kept. */
export function useBoardSearch(): [BoardSearch, Change] {
  const search: BoardSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change: Change = (some, { isTyping = false } = {}) =>
    void navigate({ to: ".", search: { ...search, ...some }, replace: isTyping });
  return [search, change];
}
