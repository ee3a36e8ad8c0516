import { createFileRoute } from "@tanstack/react-router";

import { SourcePage } from "@/rooms/sources/SourcePage";

export const Route = createFileRoute("/sources/$slug")({ component: OneSource });

function OneSource() {
  const { slug } = Route.useParams();
  return <SourcePage key={slug} slug={slug} />;
}
