import { createFileRoute } from "@tanstack/react-router";

import { KnowledgePage } from "@/rooms/board/knowledge/KnowledgePage";
import { reads } from "@/rooms/board/search";

export const Route = createFileRoute("/board/knowledge")({
  validateSearch: reads("project", "search", "tier", "category"),
  component: KnowledgePage,
});
