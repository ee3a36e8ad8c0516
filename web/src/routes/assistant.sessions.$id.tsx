import { createFileRoute } from "@tanstack/react-router";

import { SessionPage } from "@/rooms/assistant/session/SessionPage";
import { sessionSearch } from "@/rooms/assistant/session/search";

export const Route = createFileRoute("/assistant/sessions/$id")({
  validateSearch: sessionSearch,
  component: Shown,
});

function Shown() {
  const { id } = Route.useParams();
  return <SessionPage key={id} id={id} search={Route.useSearch()} />;
}
