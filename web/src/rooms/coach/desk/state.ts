import type {
  Anchor,
  Decoration,
  Explanation,
  FileHint,
  HighlightLines,
  HintLevel,
  HoverHint,
  IssueContext,
  MessageType,
  Nudge,
  ObserverStatus,
  PhaseReview,
  PlannedPhase,
  RangeInput,
  Summary,
  TreeNode,
} from "@/api/coach";

/** A file in the editor. */
export type Tab = {
  path: string;
  language: string;
  isLoading: boolean;
  text: string;
  /** What is on disk, as far as it is known here. */
  saved: string;
  /** What the server has of it. */
  sent: string;
  /** The text on its way to disk. */
  saving?: string;
  saveProblem?: string;
  /** What somebody else wrote to disk while there are edits here. */
  foreign?: string;
  /** Deleted on disk. */
  isGone?: boolean;
  /** The message that asked for it. */
  askedBy?: string;
};

export type Told =
  | { kind: "asked"; text: string }
  | { kind: "message"; message: string; type: MessageType; anchor?: Anchor | null }
  | ({ kind: "nudge" } & Nudge)
  | ({ kind: "explanation" } & Explanation)
  | ({ kind: "review" } & PhaseReview)
  | { kind: "note"; text: string }
  | { kind: "trouble"; text: string };

/** One thing said in the coach's panel. */
export type TalkItem = Told & { key: number; at: number };

export type Selected = { path: string; range: RangeInput; text: string };

export type Waiting = "explain" | "review";

export type DeskState = {
  isRestored: boolean;
  problem?: Error;
  session: { id: string; issue: IssueContext } | null;
  phases: readonly PlannedPhase[];
  hintLevel: HintLevel;
  observer: ObserverStatus;
  tree: TreeNode | null;
  tabs: readonly Tab[];
  selected: Selected | null;
  fileHints: readonly FileHint[];
  regions: Readonly<Record<string, readonly Decoration[]>>;
  highlights: readonly HighlightLines[];
  hovers: readonly HoverHint[];
  talk: readonly TalkItem[];
  /** Questions that are not answered yet, by the id of the message that asked. */
  waiting: Readonly<Partial<Record<Waiting, string>>>;
  /** The session that has just ended, until its report was read. */
  ended: Summary | null;
};

export const EMPTY: DeskState = {
  isRestored: false,
  session: null,
  phases: [],
  hintLevel: "file",
  observer: { active: false, muted: false, lastEvaluation: null },
  tree: null,
  tabs: [],
  selected: null,
  fileHints: [],
  regions: {},
  highlights: [],
  hovers: [],
  talk: [],
  waiting: {},
  ended: null,
};

export function isUnsaved(tab: Tab): boolean {
  return !tab.isLoading && (tab.text !== tab.saved || tab.isGone === true);
}

/** Whether closing the window now would lose something. */
export function isUnsent(tab: Tab): boolean {
  return isUnsaved(tab) && tab.text !== tab.sent;
}
