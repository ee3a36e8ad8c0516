import { createFileRoute } from "@tanstack/react-router";

import type { SpanKind } from "@/api/schema";
import { oneOf, word } from "@/lib/search";
import { KINDS, OUTCOMES, type TraceSearch } from "@/rooms/traces/filters";
import { TracesPage } from "@/rooms/traces/TracesPage";

export const Route = createFileRoute("/traces/")({
  validateSearch: ({ q, room, kind, status, run, session }: Record<string, unknown>): TraceSearch => ({
    q: word(q),
    room: word(room),
    kind: oneOf<SpanKind>(kind, KINDS),
    status: oneOf(status, OUTCOMES),
    run: word(run),
    session: word(session),
  }),
  component: () => <TracesPage search={Route.useSearch()} />,
});
