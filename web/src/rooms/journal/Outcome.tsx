import { Badge } from "@/components/Badge";
import type { JournalOutcome, JournalTier } from "@/api/schema";

import { OUTCOMES, TIERS } from "./words";

export function Outcome({ status }: { status: JournalOutcome | null }) {
  if (status === null) return <Badge tone="info">open</Badge>;
  const { word, tone, explained } = OUTCOMES[status];
  return (
    <Badge tone={tone} title={explained}>
      {word}
    </Badge>
  );
}

export function Tier({ tier }: { tier: JournalTier | null }) {
  if (tier === null || tier === "abandoned") return null;
  return (
    <Badge tone={tier === "gold" ? "warn" : "neutral"} title={TIERS[tier]}>
      {tier}
    </Badge>
  );
}
