import { useEffect, useState } from "react";

import { ago, dateTime } from "@/lib/words";

/** How long ago, kept true while the page is open; the exact time is its tooltip. */
export function Time({ at }: { at: string }) {
  const [, tick] = useState(0);

  useEffect(() => {
    const timer = setInterval(() => tick((ticks) => ticks + 1), 30_000);
    return () => clearInterval(timer);
  }, []);

  return (
    <time dateTime={at} title={dateTime(at)} className="whitespace-nowrap">
      {ago(at)}
    </time>
  );
}
