import { createFileRoute } from "@tanstack/react-router";

import { FailurePage } from "@/rooms/board/errors/FailurePage";

export const Route = createFileRoute("/board/errors/$id")({
  component: () => <FailurePage id={Route.useParams().id} />,
});
