import { createFileRoute } from "@tanstack/react-router";

import { SessionsPage, type Status } from "@/rooms/coach/history/SessionsPage";

type Search = { status?: Status };

export const Route = createFileRoute("/coach/sessions/")({
  validateSearch: ({ status }: Record<string, unknown>): Search => ({
    status: status === "active" || status === "completed" || status === "abandoned" ? status : undefined,
  }),
  component: Sessions,
});

function Sessions() {
  const { status = "all" } = Route.useSearch();
  return <SessionsPage status={status} />;
}
