import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { type ChangeRef, validationQuery } from "@/api/changes";
import { Notice } from "@/components/States";
import { plural } from "@/lib/words";

/** Whether it could be approved now, in a line. */
export function InTheWay({ at }: { at: ChangeRef }) {
  const { data } = useQuery(validationQuery(at));
  if (!data || data.valid) return null;
  return (
    <Notice tone="warn">
      It cannot be approved yet: {plural(data.issues.length, "thing is", "things are")} in the way.{" "}
      <Link
        to="/board/changes/$id"
        params={{ id: at.id }}
        search={{ tab: "validation", project: at.project }}
        className="underline underline-offset-2"
      >
        See what
      </Link>
    </Notice>
  );
}
