import { createFileRoute } from "@tanstack/react-router";

import type { ExperienceFilter } from "@/api/journal";
import { SearchPage } from "@/rooms/journal/SearchPage";
import { nameIn, word } from "@/lib/search";
import { AXES, DOMAINS, OUTCOMES } from "@/rooms/journal/words";

export const Route = createFileRoute("/journal/search")({
  component: SearchPage,
  validateSearch: (search: Record<string, unknown>): ExperienceFilter & { query?: string } => ({
    query: word(search.query),
    axis: nameIn(AXES, search.axis),
    domain: nameIn(DOMAINS, search.domain),
    outcome: nameIn(OUTCOMES, search.outcome),
  }),
});
