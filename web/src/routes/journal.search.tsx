import { createFileRoute } from "@tanstack/react-router";

import type { ExperienceFilter } from "@/api/journal";
import { SearchPage } from "@/rooms/journal/SearchPage";
import { AXES, DOMAINS, OUTCOMES, oneOf } from "@/rooms/journal/words";

export const Route = createFileRoute("/journal/search")({
  component: SearchPage,
  validateSearch: (search: Record<string, unknown>): ExperienceFilter & { query?: string } => ({
    query: typeof search.query === "string" ? search.query : undefined,
    axis: oneOf(AXES, search.axis),
    domain: oneOf(DOMAINS, search.domain),
    outcome: oneOf(OUTCOMES, search.outcome),
  }),
});
