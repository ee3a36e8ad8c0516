import { createFileRoute } from "@tanstack/react-router";

import { ErrorsPage } from "@/rooms/board/errors/ErrorsPage";
import { reads } from "@/rooms/board/search";

export const Route = createFileRoute("/board/errors/")({
  validateSearch: reads("project", "search", "since", "class", "state", "decision"),
  component: ErrorsPage,
});
