import { createFileRoute } from "@tanstack/react-router";

import { ResearchPage } from "@/rooms/research/ResearchPage";
import { researchSearch } from "@/rooms/research/search";

export const Route = createFileRoute("/research/")({
  validateSearch: researchSearch,
  component: ResearchPage,
});
