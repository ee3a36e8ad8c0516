import type { Overlap, ValidationView } from "@/api/schema";
import { Notice } from "@/components/States";

/** What keeps a proposal from being approved, and what it would meet. */
export function InTheWay({
  validation,
  overlaps,
}: {
  validation: ValidationView;
  overlaps: readonly Overlap[];
}) {
  const { valid, issues } = validation;
  return (
    <>
      {!valid && (
        <Notice tone="warn">
          <p className="font-medium">It cannot be approved yet. Open it to fix this:</p>
          <ul className="list-disc pl-5">
            {issues
              .filter(({ level }) => level === "ERROR")
              .map(({ path, line, message }) => (
                <li key={`${path} ${line} ${message}`} className="break-words">
                  {path}
                  {line !== null && `:${line}`}: {message}
                </li>
              ))}
          </ul>
        </Notice>
      )}
      {overlaps.length > 0 && (
        <p className="text-sm text-muted">
          Meets {overlaps.map(({ title }) => `“${title}”`).join(", ")}: they are not handed out at the same
          time.
        </p>
      )}
    </>
  );
}
