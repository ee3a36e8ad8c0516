import { createFileRoute } from "@tanstack/react-router";

import { NewChangePage } from "@/rooms/board/change/new/NewChangePage";

export const Route = createFileRoute("/board/new")({ component: NewChangePage });
