import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { Summary } from "@/api/coach";
import { sessionReportQuery } from "@/api/coaching";
import { Button, buttonClass } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { Markdown } from "@/components/Markdown";
import { WhenReady } from "@/components/States";

import { desk, useDesk } from "./desk/store";

/** The report of the session that has just been wrapped up. */
export function ReportDialog() {
  const ended = useDesk((state) => state.ended);
  if (ended?.status !== "completed") return null;
  return <Report summary={ended} />;
}

function Report({ summary: { sessionId, text } }: { summary: Summary }) {
  const report = useQuery(sessionReportQuery(sessionId));
  const close = () => desk.dispatch({ type: "report:read" });
  return (
    <Dialog title="The session is over" lead={text} isOpen onClose={close} isWide>
      <WhenReady query={report} lines={8}>
        {({ markdown }) => <Markdown text={markdown} className="text-sm" />}
      </WhenReady>
      <div className="mt-4 flex flex-wrap justify-end gap-2 border-t pt-4">
        <Link to="/coach/sessions/$id" params={{ id: sessionId }} className={buttonClass("quiet")}>
          Its timeline
        </Link>
        <Link to="/coach/practice" className={buttonClass("plain")}>
          Practise
        </Link>
        <Button kind="primary" onClick={close}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
