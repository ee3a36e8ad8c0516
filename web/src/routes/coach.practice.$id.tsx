import { createFileRoute } from "@tanstack/react-router";

import { KataPage } from "@/rooms/coach/practice/KataPage";

export const Route = createFileRoute("/coach/practice/$id")({ component: Kata });

function Kata() {
  const { id } = Route.useParams();
  return <KataPage id={id} />;
}
