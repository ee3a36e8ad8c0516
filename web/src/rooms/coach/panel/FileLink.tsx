import type { ReactNode } from "react";

import { useShowFile } from "../places";

/** Leads to a file in the editor, at a line if one is named. */
export function FileLink({ path, line, children }: { path: string; line?: number; children?: ReactNode }) {
  const showFile = useShowFile();
  return (
    <button
      type="button"
      onClick={() => showFile(path, line)}
      className="text-left break-all text-accent underline underline-offset-2"
    >
      {children ?? path}
    </button>
  );
}
