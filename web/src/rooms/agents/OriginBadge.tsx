import { Badge, type Tone } from "@/components/Badge";

const ORIGINS: Record<string, readonly [tone: Tone, word: string, about: string]> = {
  shipped: ["neutral", "comes with Bottega", "It is part of Bottega."],
  own: ["accent", "your own", "It is in the data directory of this house."],
  project: ["info", "of this project", "It came with the project, in its .bottega folder."],
};

export function OriginBadge({ origin }: { origin: string }) {
  const [tone, word, about] = ORIGINS[origin] ?? ["neutral", origin, ""];
  return (
    <Badge tone={tone} title={about}>
      {word}
    </Badge>
  );
}
