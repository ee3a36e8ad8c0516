import { Link } from "@tanstack/react-router";

import type { RunState } from "@/api/schema";
import { buttonClass } from "@/components/Button";
import { Card } from "@/components/Card";

/** Why a run had to stop, and the way to try it again. */
export function Failure({ run }: { run: RunState }) {
  const message = run.error?.message;
  return (
    <Card title="The research had to stop" className="border-bad/50">
      <p className="max-w-prose text-sm break-words">
        {typeof message === "string" ? message : "Nobody knows why."} What was found before is kept.
      </p>
      <p className="mt-3">
        <Link
          to="/research"
          search={{ ask: run.question, library: run.library }}
          className={buttonClass("primary")}
        >
          Ask it again
        </Link>
      </p>
    </Card>
  );
}
