import { createFileRoute } from "@tanstack/react-router";

import { SessionPage } from "@/rooms/board/sessions/SessionPage";

export const Route = createFileRoute("/board/sessions/$id")({
  component: () => <SessionPage id={Route.useParams().id} />,
});
