import { createFileRoute } from "@tanstack/react-router";

import type { EntryFilter } from "@/api/journal";
import { JournalPage } from "@/rooms/journal/JournalPage";
import { nameIn } from "@/lib/search";
import { DOMAINS, OUTCOMES } from "@/rooms/journal/words";

const DAY = /^\d{4}-\d\d-\d\d$/;

export const Route = createFileRoute("/journal/")({
  component: JournalPage,
  validateSearch: ({ domain, outcome, since }: Record<string, unknown>): EntryFilter => ({
    domain: nameIn(DOMAINS, domain),
    outcome: nameIn(OUTCOMES, outcome),
    since: typeof since === "string" && DAY.test(since) ? since : undefined,
  }),
});
