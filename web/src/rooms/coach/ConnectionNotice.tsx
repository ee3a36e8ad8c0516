import { useSocketState } from "@/api/socket";
import { Notice } from "@/components/States";

/** Said while the coach cannot be reached; nothing that is typed meanwhile is lost. */
export function ConnectionNotice() {
  if (useSocketState() !== "lost") return null;
  return (
    <div role="alert" className="mb-3">
      <Notice tone="warn">
        The coach cannot be reached right now. Go on: your edits are kept here, and sent as soon as the
        connection is back.
      </Notice>
    </div>
  );
}
