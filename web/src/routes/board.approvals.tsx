import { createFileRoute } from "@tanstack/react-router";

import { ApprovalsPage } from "@/rooms/board/approvals/ApprovalsPage";
import { reads } from "@/rooms/board/search";

export const Route = createFileRoute("/board/approvals")({
  validateSearch: reads("project"),
  component: ApprovalsPage,
});
