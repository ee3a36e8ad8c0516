import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

import { useMessage } from "@/api/socket";
import { Page } from "@/components/Page";
import { Loading, Problem } from "@/components/States";

import { openFile } from "./desk/acting";
import { useIdle, useNothingLost } from "./desk/presence";
import { desk, useDesk } from "./desk/store";
import { DeskPage } from "./DeskPage";
import { ReportDialog } from "./ReportDialog";
import { StartPage } from "./start/StartPage";

const route = getRouteApi("/coach/");

/** The coach's desk: a place to start from, then files, editor and coach side by side. */
export function CoachPage() {
  const { file, line, pane } = route.useSearch();
  const isRestored = useDesk((state) => state.isRestored);
  const problem = useDesk((state) => state.problem);
  const hasSession = useDesk((state) => state.session !== null);
  const lastTab = useDesk((state) => state.tabs.at(-1)?.path);
  const navigate = useNavigate();

  useIdle(hasSession);
  useNothingLost();
  useMessage("editor:open_file", ({ path }) => {
    void navigate({ to: "/coach", search: { file: path, pane: "editor" } });
  });
  useEffect(() => {
    if (isRestored && file) openFile(file);
  }, [isRestored, file]);

  if (!isRestored) {
    return (
      <Page title="Coach">
        {problem ? <Problem error={problem} onRetry={() => void desk.settle()} /> : <Loading lines={6} />}
      </Page>
    );
  }
  const hasDesk = hasSession || file || pane || lastTab;
  return (
    <>
      {hasDesk ? <DeskPage active={file ?? lastTab} line={line} pane={pane} /> : <StartPage />}
      <ReportDialog />
    </>
  );
}
