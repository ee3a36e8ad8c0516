import { createFileRoute } from "@tanstack/react-router";

import { word } from "@/lib/search";
import { TracePage } from "@/rooms/traces/TracePage";

export const Route = createFileRoute("/traces/$id")({
  validateSearch: ({ span }: Record<string, unknown>): { span?: string } => ({ span: word(span) }),
  component: () => <TracePage {...Route.useParams()} {...Route.useSearch()} />,
});
