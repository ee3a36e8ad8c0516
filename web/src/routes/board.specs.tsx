import { createFileRoute } from "@tanstack/react-router";

import { reads } from "@/rooms/board/search";
import { SpecsPage } from "@/rooms/board/specs/SpecsPage";

export const Route = createFileRoute("/board/specs")({
  validateSearch: reads("project", "search", "status", "since", "order", "view", "spec"),
  component: SpecsPage,
});
