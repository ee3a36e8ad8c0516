import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Props = { id: string; project: string; className?: string; children: ReactNode };

/** Two projects may each have a change of the same id. */
export function ChangeLink({ id, project, className = LOOK, children }: Props) {
  return (
    <Link to="/board/changes/$id" params={{ id }} search={{ project }} className={className}>
      {children}
    </Link>
  );
}

const LOOK = "font-medium break-words hover:text-accent hover:underline";
