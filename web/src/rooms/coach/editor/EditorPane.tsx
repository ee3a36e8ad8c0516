import { useNavigate } from "@tanstack/react-router";
import { FileText } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";

import { Confirm } from "@/components/Dialog";
import { Empty, Loading } from "@/components/States";
import { classes } from "@/lib/classes";

import { closeFile, tellTabSwitch } from "../desk/acting";
import { isUnsaved, type Tab } from "../desk/state";
import { useDesk } from "../desk/store";
import { useShowFile } from "../places";
import { FileEditor } from "./FileEditor";
import { FileNotices } from "./FileNotices";
import { HintList } from "./HintList";
import { commentsOn, marksOf } from "./marksOf";
import { nameOf, TabBar } from "./TabBar";
import { StatusBar } from "./StatusBar";

export function EditorPane({ active, line }: { active?: string; line?: number }) {
  const tabs = useDesk((state) => state.tabs);
  const [closing, setClosing] = useState<Tab>();
  const navigate = useNavigate();
  const showFile = useShowFile();
  const before = useRef<string>(undefined);

  useEffect(() => {
    if (active && before.current !== active) tellTabSwitch(before.current, active);
    before.current = active;
  }, [active]);

  function close({ path }: Tab) {
    setClosing(undefined);
    closeFile(path);
    const rest = tabs.filter((tab) => tab.path !== path);
    if (path === active) void navigate({ to: "/coach", search: { file: rest.at(-1)?.path, pane: "editor" } });
  }

  return (
    <div className="flex h-full min-h-0 flex-col overflow-hidden rounded-lg border bg-surface">
      <h2 className="sr-only">Editor</h2>
      {tabs.length === 0 && (
        <Empty title="No file is open." icon={<FileText className="size-5" />}>
          Choose one on the left. Files that a hint points at are marked there.
        </Empty>
      )}
      {tabs.length > 0 && (
        <TabBar
          tabs={tabs}
          active={active}
          onShow={showFile}
          onClose={(tab) => (isUnsaved(tab) ? setClosing(tab) : close(tab))}
        />
      )}
      {tabs.map((tab) => (
        <OpenFile
          key={tab.path}
          tab={tab}
          isShown={tab.path === active}
          line={tab.path === active ? line : undefined}
        />
      ))}
      <Confirm
        title={`Close ${closing ? nameOf(closing.path) : ""} without saving?`}
        action="Close without saving"
        isOpen={closing !== undefined}
        onConfirm={() => closing && close(closing)}
        onClose={() => setClosing(undefined)}
      >
        What you typed since the last save would be lost.
      </Confirm>
    </div>
  );
}

function OpenFile({ tab, isShown, line }: { tab: Tab; isShown: boolean; line?: number }) {
  const { path } = tab;
  const regions = useDesk((state) => state.regions);
  const highlights = useDesk((state) => state.highlights);
  const hovers = useDesk((state) => state.hovers);
  const talk = useDesk((state) => state.talk);
  const marks = useMemo(
    () => marksOf(path, { regions, highlights, hovers }),
    [path, regions, highlights, hovers],
  );
  const comments = useMemo(() => commentsOn(path, talk), [path, talk]);
  const showFile = useShowFile();
  const navigate = useNavigate();
  const lineShown = () =>
    void navigate({ to: "/coach", search: { file: path, pane: "editor" }, replace: true });

  if (tab.isLoading) return isShown ? <Loading lines={8} label={`Loading ${path}`} /> : null;
  return (
    <div className={classes("min-h-0 grow flex-col", isShown ? "flex" : "hidden")}>
      <FileNotices tab={tab} />
      <HintList marks={marks} onShow={(at) => showFile(path, at)} />
      <div className="min-h-0 grow">
        <FileEditor tab={tab} {...{ marks, comments, line }} onShown={lineShown} />
      </div>
      <StatusBar tab={tab} />
    </div>
  );
}
