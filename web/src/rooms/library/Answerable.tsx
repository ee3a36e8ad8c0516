import { useQuery } from "@tanstack/react-query";

import { answerableQuery } from "@/api/library";
import type { Answerability } from "@/api/schema";
import { Notice } from "@/components/States";
import { percent } from "@/lib/words";

/** A search always finds something; this says whether an answer is among it. */
export function Answerable({ name, query }: { name: string; query: string }) {
  const { data } = useQuery(answerableQuery(name, query));
  if (!data) return null;
  return (
    <Notice tone={data.answerable ? "good" : "warn"}>
      <p className="font-medium">{verdict(data)}</p>
      {data.reasons.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
    </Notice>
  );
}

export function verdict({ answerable, confidence, best }: Answerability): string {
  if (!answerable) {
    return `This library probably holds no answer (${percent(confidence)} likely). What follows is only the nearest.`;
  }
  const where = best ? `, most of it in ${best}` : "";
  return `The answer is probably here${where} (${percent(confidence)} likely).`;
}
