import { createFileRoute } from "@tanstack/react-router";

import type { Walk } from "@/api/library";
import { ParagraphPage, USUAL_WALK } from "@/rooms/library/ParagraphPage";

export const Route = createFileRoute("/libraries/$name/paragraphs/$ref")({
  validateSearch: (raw): Partial<Walk> => ({
    hops: within(raw.hops, 1, 4),
    decay: within(raw.decay, 0.1, 1),
  }),
  component: Paragraph,
});

function within(value: unknown, least: number, most: number): number | undefined {
  const number = Number(value);
  return value !== undefined && number >= least && number <= most ? number : undefined;
}

function Paragraph() {
  const { name, ref } = Route.useParams();
  const { hops = USUAL_WALK.hops, decay = USUAL_WALK.decay } = Route.useSearch();
  return <ParagraphPage key={`${name} ${ref}`} name={name} reference={ref} walk={{ hops, decay }} />;
}
