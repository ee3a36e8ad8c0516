import { useId, useState } from "react";

import { Button } from "@/components/Button";

import { RadioChips } from "./RadioChips";
import type { GateProps } from "./useReply";

const RATINGS = ["1", "2", "3", "4", "5"].map((rating) => [rating, rating] as const);

export function ConfidenceGate({ gate, send, isBusy }: GateProps) {
  const [rating, setRating] = useState<string | null>(null);
  const label = useId();
  return (
    <div className="space-y-3">
      <p id={label} className="text-sm whitespace-pre-line">
        {gate.text}
      </p>
      <RadioChips labelledBy={label} options={RATINGS} value={rating} onChange={setRating} />
      <div className="flex gap-2">
        <Button
          kind="primary"
          isBusy={isBusy}
          disabled={rating === null}
          onClick={() => send({ decision: "rate", rating: Number(rating) })}
        >
          Send
        </Button>
        <Button disabled={isBusy} onClick={() => send({ decision: "skip" })}>
          Skip
        </Button>
      </div>
    </div>
  );
}
