import { Link } from "@tanstack/react-router";

import type { ImportResult } from "@/api/schema";
import { Button, buttonClass } from "@/components/Button";
import { Notice } from "@/components/States";
import { plural } from "@/lib/words";

type Props = { result: ImportResult; onAnother: () => void; onDone: () => void };

/** What a report brought, in sentences. */
export function Outcome({ result, onAnother, onDone }: Props) {
  const { report } = result;
  return (
    <div className="space-y-4 text-sm">
      <Notice tone={report.failed > 0 ? "warn" : "good"}>
        {plural(report.total, "test")}: {report.passed} passed, {report.failed} failed
        {report.flaked > 0 && `, ${report.flaked} flaky`}
        {report.skipped > 0 && `, ${report.skipped} skipped`}.
      </Notice>
      <ul className="list-disc space-y-1 pl-5">
        {sentences(result).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <div className="flex justify-end gap-2">
        <Button onClick={onAnother}>Send another</Button>
        <Link to="/board/errors" onClick={onDone} className={buttonClass("primary")}>
          See the failures
        </Link>
      </div>
    </div>
  );
}

export function sentences(result: ImportResult): string[] {
  const { new_failures, proposed, updated, held_back, waiting, green, reopened, notes } = result;
  const said = [
    new_failures > 0 && `${plural(new_failures, "failure")} not met before.`,
    proposed.length > 0 && `Proposed for your approval: ${proposed.join(", ")}.`,
    updated.length > 0 && `Brought up to date: ${updated.join(", ")}.`,
    waiting > 0 && `${plural(waiting, "failure")} will be proposed if met again.`,
    held_back > 0 && `${plural(held_back, "failure")} held back: ten proposals a report are enough.`,
    green.length > 0 && `Green again: ${green.map(({ test_name }) => test_name).join(", ")}.`,
    reopened.length > 0 && `Failed again and reopened: ${reopened.join(", ")}.`,
    ...notes,
  ].filter((sentence) => sentence !== false);
  return said.length > 0 ? said : ["Nothing changed on the board."];
}
