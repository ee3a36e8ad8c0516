import { createFileRoute } from "@tanstack/react-router";

import { PracticePage, type Shown } from "@/rooms/coach/practice/PracticePage";

type Search = { show?: Shown };

export const Route = createFileRoute("/coach/practice/")({
  validateSearch: ({ show }: Record<string, unknown>): Search => ({
    show: show === "open" || show === "solved" ? show : undefined,
  }),
  component: Practice,
});

function Practice() {
  const { show = "all" } = Route.useSearch();
  return <PracticePage show={show} />;
}
