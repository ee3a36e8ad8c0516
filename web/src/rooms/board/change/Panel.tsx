import type { ChangeRef } from "@/api/changes";
import type { AgentType, ChangeView } from "@/api/schema";

import { ContextPanel } from "./ContextPanel";
import { DeltasPanel } from "./DeltasPanel";
import { FailurePanel } from "./FailurePanel";
import { HistoryPanel } from "./HistoryPanel";
import { OverlapsPanel } from "./OverlapsPanel";
import { RevisionsPanel } from "./RevisionsPanel";
import { TasksPanel } from "./TasksPanel";
import { TextPanel } from "./TextPanel";
import type { Tab } from "./tabs";
import { ValidationPanel } from "./ValidationPanel";

export type PanelProps = { at: ChangeRef; change: ChangeView };

type Props = PanelProps & { tab: Tab; agent: AgentType };

/** What the chosen tab shows. */
export function Panel({ tab, agent, ...rest }: Props) {
  switch (tab) {
    case "proposal":
      return <TextPanel {...rest} file="proposal.md" title="Proposal" text={rest.change.proposal_content} />;
    case "design":
      return (
        <TextPanel
          {...rest}
          file="design.md"
          title="Design"
          text={rest.change.design_content}
          about="How it is to be built, where that is not plain from the proposal. A change need not have one."
          template={"# Design\n\n## Context\n\n\n\n## Decisions\n\n- \n\n## Risks\n\n- \n"}
        />
      );
    case "deltas":
      return <DeltasPanel {...rest} />;
    case "tasks":
      return <TasksPanel {...rest} />;
    case "validation":
      return <ValidationPanel {...rest} />;
    case "overlaps":
      return <OverlapsPanel {...rest} />;
    case "history":
      return <HistoryPanel {...rest} />;
    case "revisions":
      return <RevisionsPanel {...rest} />;
    case "failure":
      return <FailurePanel change={rest.change} />;
    case "context":
      return <ContextPanel {...rest} agent={agent} />;
  }
}
