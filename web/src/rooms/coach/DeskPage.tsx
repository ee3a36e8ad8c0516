import { useState } from "react";

import { Button } from "@/components/Button";
import { Page } from "@/components/Page";
import { SplitPanes } from "@/components/SplitPanes";

import { CoachLinks } from "./CoachLinks";
import { useCoachCommands } from "./commands";
import { ConnectionNotice } from "./ConnectionNotice";
import { useDesk } from "./desk/store";
import { EditorPane } from "./editor/EditorPane";
import { EndSession } from "./EndSession";
import { FilesPane } from "./files/FilesPane";
import { useIsNarrow } from "@/lib/narrow";
import { PaneTabs } from "./PaneTabs";
import { CoachPane } from "./panel/CoachPane";
import type { Pane } from "./places";

type Props = { active?: string; line?: number; pane?: Pane };

/** Files, editor and coach: side by side, or one at a time where there is no room. */
export function DeskPage({ active, line, pane = "coach" }: Props) {
  const session = useDesk((state) => state.session);
  const [isEnding, setEnding] = useState(false);
  const isNarrow = useIsNarrow();
  useCoachCommands(active, () => setEnding(true));

  const panes = [
    { id: "files", label: "Files", content: <FilesPane active={active} />, size: 19 },
    {
      id: "editor",
      label: "Editor",
      content: <EditorPane active={active} line={line} />,
      size: 49,
      least: 25,
    },
    { id: "coach", label: "Coach", content: <CoachPane />, size: 32, least: 22 },
  ];
  return (
    <Page
      title={session?.issue.title ?? "Coach"}
      lead={session && <Lead number={session.issue.number} labels={session.issue.labels} />}
      isFull
      actions={
        <>
          <CoachLinks />
          {session && <Button onClick={() => setEnding(true)}>End session</Button>}
        </>
      }
    >
      <ConnectionNotice />
      {isNarrow ? (
        <>
          <PaneTabs shown={pane} file={active} />
          {panes.map(({ id, label, content }) => (
            <section key={id} aria-label={label} className={id === pane ? "min-h-0 grow" : "hidden"}>
              {content}
            </section>
          ))}
        </>
      ) : (
        <SplitPanes panes={panes} className="min-h-0 grow" />
      )}
      <EndSession isOpen={isEnding && session !== null} onClose={() => setEnding(false)} />
    </Page>
  );
}

function Lead({ number, labels }: { number?: number | null; labels: readonly string[] }) {
  const words = [number ? `Issue #${number}` : "In your own words", ...labels];
  return <p>{words.join(" · ")}</p>;
}
