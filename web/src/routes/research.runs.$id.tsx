import { createFileRoute } from "@tanstack/react-router";

import { RunPage } from "@/rooms/research/run/RunPage";
import { runSearch } from "@/rooms/research/search";

export const Route = createFileRoute("/research/runs/$id")({
  validateSearch: runSearch,
  component: RunPage,
});
