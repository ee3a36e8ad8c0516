import { useQuery } from "@tanstack/react-query";

import { evalProgressQuery } from "@/api/assistant";

/** How many cases are done, of how many. */
export function EvalProgress({ runId }: { runId: string }) {
  const events = useQuery(evalProgressQuery(runId)).data ?? [];
  const played = events.filter(({ type }) => type === "case_played");
  const newest = played.at(-1)?.payload;
  const total = Number(newest?.of ?? 0);
  return (
    <div className="space-y-2 text-sm">
      <progress
        className="w-full accent-(--accent)"
        aria-label="Cases run"
        max={total || 1}
        value={total ? played.length : undefined}
      />
      <p role="status">
        {newest
          ? `${played.length} of ${total} played; the newest is ${String(newest.case)}.`
          : "The first cases are being played…"}
      </p>
    </div>
  );
}
