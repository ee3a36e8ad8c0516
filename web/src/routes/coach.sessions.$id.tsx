import { createFileRoute } from "@tanstack/react-router";

import { SessionPage, type View } from "@/rooms/coach/history/SessionPage";

type Search = { view?: View };

export const Route = createFileRoute("/coach/sessions/$id")({
  validateSearch: ({ view }: Record<string, unknown>): Search => ({
    view: view === "timeline" ? view : undefined,
  }),
  component: Session,
});

function Session() {
  const { id } = Route.useParams();
  const { view = "report" } = Route.useSearch();
  return <SessionPage key={id} id={id} view={view} />;
}
