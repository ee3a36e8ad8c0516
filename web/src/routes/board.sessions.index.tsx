import { createFileRoute } from "@tanstack/react-router";

import { reads } from "@/rooms/board/search";
import { SessionsPage } from "@/rooms/board/sessions/SessionsPage";

export const Route = createFileRoute("/board/sessions/")({
  validateSearch: reads("project", "ended"),
  component: SessionsPage,
});
