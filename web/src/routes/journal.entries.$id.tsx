import { createFileRoute } from "@tanstack/react-router";

import { EntryPage } from "@/rooms/journal/EntryPage";

export const Route = createFileRoute("/journal/entries/$id")({ component: EntryPage });
