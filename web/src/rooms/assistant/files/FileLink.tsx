import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Props = { path: string; className?: string; isCurrent?: boolean; children?: ReactNode };

/** Opens a file beside what is shown, on whichever page of the room it stands. */
export function FileLink({ path, className, isCurrent = false, children }: Props) {
  return (
    <Link
      to="."
      search={(now) => ({ ...now, file: path, view: "file" as const, pane: "document" as const })}
      resetScroll={false}
      aria-current={isCurrent ? "true" : undefined}
      activeProps={{}}
      className={className ?? "text-accent underline"}
    >
      {children ?? path}
    </Link>
  );
}
