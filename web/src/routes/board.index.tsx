import { createFileRoute } from "@tanstack/react-router";

import { reads } from "@/rooms/board/search";
import { AllWorkPage } from "@/rooms/board/work/AllWorkPage";

export const Route = createFileRoute("/board/")({
  validateSearch: reads("project", "search", "status", "since", "show", "order"),
  component: AllWorkPage,
});
