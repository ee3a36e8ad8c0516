import { createFileRoute } from "@tanstack/react-router";

import { SkillsPage } from "@/rooms/agents/SkillsPage";

export const Route = createFileRoute("/skills")({
  validateSearch: (raw): { skill?: string } => ({
    skill: raw.skill === undefined ? undefined : String(raw.skill),
  }),
  component: Skills,
});

function Skills() {
  return <SkillsPage chosen={Route.useSearch().skill} />;
}
