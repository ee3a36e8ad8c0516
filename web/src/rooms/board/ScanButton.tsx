import { answer, rest } from "@/api/client";
import { Button, type ButtonKind } from "@/components/Button";
import { plural } from "@/lib/words";

import { useDoing } from "./useDoing";

/** Look for projects now. */
export function ScanButton({ kind = "plain" }: { kind?: ButtonKind }) {
  const scan = useDoing(() => answer(rest.POST("/api/projects/scan")), {
    done: ({ projects, found, returned }) => {
      const fresh = found.length + returned.length;
      if (fresh > 0) return `Found ${plural(fresh, "new project")}.`;
      return projects.length > 0 ? "No new project was found." : "No project was found.";
    },
  });
  return (
    <Button kind={kind} isBusy={scan.isPending} onClick={() => scan.mutate(undefined)}>
      Look for projects
    </Button>
  );
}
