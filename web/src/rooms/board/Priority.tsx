import { Badge } from "@/components/Badge";

const WORDS = ["", "minor", "low", "normal", "high", "urgent"];

/** From 1 to 5; only what stands out has a colour. */
export function Priority({ value }: { value: number }) {
  const tone = value >= 5 ? "bad" : value === 4 ? "warn" : "neutral";
  return (
    <Badge tone={tone} title={`priority ${value} of 5`}>
      {WORDS[value] ?? value}
    </Badge>
  );
}
