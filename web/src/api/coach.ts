// Written by `make docs` from the coach's protocol.

export type ClientPayloads = {
  /** A window says what it is, once it is connected. */
  "connection:hello": Hello;
  /** The dashboard is opened, or another period is chosen for its numbers. */
  "dashboard:request": DashboardRequest;
  /** The person asks for the issues once more. */
  "dashboard:refresh_issues": Empty;
  /** The person chooses an issue, or says what to work on. */
  "session:start": StartSession;
  /** The person goes on with a session. */
  "session:resume": ResumeSession;
  /** The person ends the session. */
  "session:end": EndSession;
  /** A person without an agent asks for a plan to start from. */
  "coaching:draft_plan": DraftPlan;
  /** A person without an agent submits a plan. */
  "coaching:submit_plan": SubmitPlan;
  /** The person starts or completes a phase. */
  "coaching:update_phase": UpdatePhase;
  /** The person opens a file. */
  "file:open": FilePath;
  /** The person saves a file. */
  "file:save": FileSave;
  /** The person closes a tab; unsaved edits go with it. */
  "file:close": FilePath;
  /** The person types. */
  "buffer:update": BufferUpdate;
  /** The person turns to another tab. */
  "editor:tab_switch": TabSwitch;
  /** The person selects text. */
  "editor:selection": Selection;
  /** The person scrolls; checked and then ignored. */
  "editor:scroll": Scroll;
  /** The person opens a folder of the tree; an empty path is the whole project. */
  "explorer:expand_dir": FilePath;
  /** The person closes a folder of the tree; checked and then ignored. */
  "explorer:collapse_dir": FilePath;
  /** The person moves the hint slider. */
  "hints:level_change": LevelChange;
  /** The person asks what the selected code is. */
  "user:explain": Explain;
  /** The person submits a kata; or, without a `kataId`, asks for a review of the phase's work. */
  "user:review": Review;
  /** The window has seen nothing for a while. */
  "user:idle_start": IdleStart;
  /** The person is back. */
  "user:idle_end": Empty;
  /** The person mutes the observer, or lets it speak. */
  "observer:mute": Mute;
  /** The person opens a kata, or asks for the best one to do next. */
  "practice:request_kata": RequestKata;
  /** The person submits a kata. */
  "practice:submit_solution": Review;
  /** A terminal is open beside the editor. */
  "terminal:ready": TerminalSize;
  /** The terminal changes its size. */
  "terminal:resize": TerminalSize;
  /** The person types in the terminal: a sign of life; the text is not kept. */
  "terminal:input": TerminalInput;
};

export type ServerPayloads = {
  /** Answers `connection:hello`. */
  "connection:init": Init;
  /** A message could not be read or done; it has the `id` of that message. */
  "connection:error": Problem;
  /** The dashboard was asked for, or a session changed an assessment. */
  "dashboard:dreyfus": DreyfusRadar;
  /** Answers `dashboard:request`, at once. */
  "dashboard:state": DashboardState;
  /** The issues were listed and ranked, after `dashboard:request` or a refresh. */
  "dashboard:issues": DashboardIssues;
  /** The issues could not be listed. */
  "dashboard:issues_error": IssuesError;
  /** Something to learn from was found for the open gaps. */
  "dashboard:materials": DashboardMaterials;
  /** Nothing to learn from could be looked for. */
  "dashboard:materials_error": MaterialsError;
  /** A session starts or is resumed, and in answer to `explorer:expand_dir`. */
  "fs:tree": Tree;
  /** A file changed on disk. */
  "fs:tree_update": TreeUpdate;
  /** A file was opened. */
  "fs:content": Content;
  /** A file was saved. */
  "fs:save_ack": SaveAck;
  /** A file could not be saved; its text stays in the buffer. */
  "fs:save_error": SaveError;
  /** Hints at level `region`: the surroundings of the lines that matter. */
  "editor:decorations": Decorations;
  /** Hints are lowered, or belong to a phase that is over. */
  "editor:clear_decorations": ClearDecorations;
  /** A file with hints is opened at level `line`. */
  "editor:hover_hint": HoverHint;
  /** An agent shows a file. */
  "editor:open_file": OpenFile;
  /** An agent highlights lines, or hints at level `line` do; said again to a window that opens the file. */
  "editor:highlight_lines": HighlightLines;
  /** An agent removes highlights, or hints are lowered or over. */
  "editor:clear_highlights": ClearHighlights;
  /** An agent marks files, or hints do from level `file` on. */
  "explorer:hint_files": HintFiles;
  /** An agent unmarks files, or hints are lowered or over. */
  "explorer:clear_hints": ClearHints;
  /** A session was started. */
  "session:started": Started;
  /** A session was resumed. */
  "session:resumed": Resumed;
  /** A session was wrapped up: what it added, in numbers. */
  "session:completed": Completed;
  /** A session is over, completed or abandoned: its summary. */
  "session:ended": Ended;
  /** A phase changed its status. */
  "coaching:phase_update": PhaseUpdate;
  /** An agent tells the person something. */
  "coaching:message": CoachingMessage;
  /** A session starts or is resumed, or an agent shows an issue. */
  "coaching:issue_context": ShowIssue;
  /** A plan became phases. */
  "coaching:plan_ready": PlanReady;
  /** Answers `coaching:draft_plan`. */
  "coaching:plan_draft": PlanDraft;
  /** The observer has something to say. */
  "observer:nudge": Nudge;
  /** A session starts or ends, or the observer is muted or unmuted. */
  "observer:status": ObserverStatus;
  /** Answers `user:explain`. */
  "explain:response": Explanation;
  /** `user:explain` failed, after a second try. */
  "explain:error": ExplainError;
  /** Answers `user:review`: with a `kataId` a kata's review, else the phase's. */
  "review:response": KataReview | PhaseReview;
  /** `user:review` failed, after a second try. */
  "review:error": ReviewError;
  /** Answers `practice:request_kata`. */
  "practice:kata_load": KataLoad;
  /** Answers `practice:submit_solution`, beside `review:response`. */
  "practice:solution_review": SolutionReview;
};

type Envelopes<Payloads> = {
  [Type in keyof Payloads]: { type: Type; payload: Payloads[Type]; id?: string; timestamp: number };
}[keyof Payloads];

export type ClientMessage = Envelopes<ClientPayloads>;
export type ServerMessage = Envelopes<ServerPayloads>;

/** Where a message belongs in a file. */
export type Anchor = {
  path: string;
  line: number;
};

export type AssessedSkill = {
  skillArea: string;
  stage: Stage;
  confidence: number;
  assessedAt: string;
};

export type AttemptView = {
  code: string;
  review?: string | null;
  level?: number | null;
  passed?: boolean | null;
  constraints: string[];
};

export type BufferUpdate = {
  path: string;
  content: string;
  cursorPosition?: Position | null;
  selections?: Record<string, unknown>[];
};

export type Capabilities = {
  rooms: string[];
  messages: string[];
};

/** One of the kata's test cases, run. */
export type CaseOutcome = {
  name: string;
  passed: boolean;
  problem?: string | null;
};

export type ClearDecorations = {
  path?: string | null;
};

export type ClearHighlights = {
  path?: string | null;
};

export type ClearHints = Record<string, never>;

export type CoachingMessage = {
  message: string;
  type: MessageType;
  anchor?: Anchor | null;
};

export type Completed = {
  sessionId: string;
  knowledgeGaps: number;
  kataSpecs: number;
  dreyfusUpdates: number;
  memoriesStored: number;
};

export type Constraint = {
  title: string;
  description: string;
  minLevel: number;
};

/** Whether the solution keeps to a constraint that it was handed in under. */
export type ConstraintOutcome = {
  title: string;
  held: boolean | null;
  problem?: string | null;
};

export type Content = {
  path: string;
  content: string;
  language: string;
  lineCount: number;
  saved?: string | null;
};

export type DashboardIssues = {
  issues: RankedIssue[];
  offline: boolean;
  source: "github" | "files";
};

export type DashboardMaterials = {
  recommendations: Recommendation[];
  offline: boolean;
};

export type DashboardRequest = {
  statsPeriod?: Period;
};

export type DashboardState = {
  dreyfus: AssessedSkill[];
  stats: Stats;
  inProgressSessions: InProgress[];
  katas: KataSummary[];
};

export type Decoration = {
  start: number;
  end: number;
  style: LineStyle;
};

export type Decorations = {
  path: string;
  decorations: Decoration[];
};

export type Difficulty = "beginner" | "intermediate" | "advanced";

/** A plan for the session's issue, to be edited and submitted. */
export type DraftPlan = Record<string, never>;

export type DreyfusRadar = {
  skillAreas: SkillPoint[];
  overallStage: Stage;
};

/** A message that says all by its type. */
export type Empty = Record<string, never>;

/** Without a transcript the wrap-up works from the log. */
export type EndSession = {
  sessionTranscript?: string;
};

export type Ended = {
  summary: Summary;
};

/** What is not given is looked up: the language by the path, the context in the file. */
export type Explain = {
  path: string;
  language?: string | null;
  selection: RangeInput;
  selectedText?: string;
  surroundingContext?: string | null;
};

export type ExplainError = {
  path: string;
  error: string;
};

export type Explanation = {
  path: string;
  explanation: string;
  keyConcepts: string[];
  analogy: string | null;
  relatedFiles: string[] | null;
  phaseConnection: string | null;
  offline: boolean;
};

export type FileHint = {
  path: string;
  style: FileStyle;
  directories?: string[] | null;
};

/** `file:open`, `file:close`, and a folder of the explorer. */
export type FilePath = {
  path: string;
};

export type FileSave = {
  path: string;
  content: string;
};

export type FileStyle = "suggested" | "important" | "critical";

export type FollowUp = {
  type: "constraint_escalation" | "retry_hint" | "completed";
  constraint?: string | null;
  reason?: string | null;
};

/** What a client says of itself. */
export type Hello = {
  version: string;
  platform: string;
  windowSize: WindowSize;
};

export type HighlightLines = {
  path: string;
  start: number;
  end: number;
  style: LineStyle;
  hoverText?: string | null;
};

export type HintFiles = {
  hints: FileHint[];
};

/** How closely hints point: at nothing, at files, at regions, at lines. */
export type HintLevel = "none" | "file" | "region" | "line";

export type HoverHint = {
  path: string;
  range: RangeOutput;
  hintText: string;
};

export type IdleStart = {
  lastActionTimestamp?: number | string | null;
};

export type InProgress = {
  id: string;
  issueNumber: number | null;
  issueTitle: string | null;
  startedAt: string;
};

export type Init = {
  sessionId: string;
  capabilities: Capabilities;
  featureFlags: Record<string, boolean>;
};

/** What is worked on, as far as it is known. */
export type IssueContext = {
  number?: number | null;
  title: string;
  summary: string;
  labels: string[];
  url?: string | null;
};

export type IssuesError = {
  error: string;
};

export type KataLoad = {
  kata: KataView;
  constraints: OfferedConstraint[];
};

export type KataReview = {
  kataId: string;
  correct: boolean;
  feedback: string;
  level: number;
  passed: boolean;
  followUp: FollowUp | null;
  dreyfusSignal: "advancing" | "stable" | "struggling";
  unlockedConstraints: Constraint[];
  cases: CaseOutcome[];
  constraints: ConstraintOutcome[];
  ran: boolean;
  offline: boolean;
};

export type KataSummary = {
  id: string;
  title: string;
  topic: string;
  attemptsCount: number;
  bestLevel: number | null;
  solved: boolean;
  constraintCount: number;
};

export type KataView = {
  id: string;
  title: string;
  topic: string;
  description: string;
  scaffoldingCode: string;
  attempts: AttemptView[];
  bestLevel: number | null;
};

export type LevelChange = {
  level: HintLevel;
  previousLevel?: HintLevel | null;
};

export type LineStyle = "hint" | "focus" | "warning";

export type MaterialsError = {
  error: string;
};

/** What a coaching message is, and so how it looks. */
export type MessageType = "info" | "hint" | "success" | "warning";

export type Mute = {
  muted: boolean;
};

export type Nudge = {
  signal: Signal;
  confidence: number;
  context: NudgeContext;
  message: string;
  offline: boolean;
};

/** snake_case on the wire too, as the observer's story has it. */
export type NudgeContext = {
  current_file?: string | null;
  expected_file?: string | null;
  time_in_file?: string | null;
  phase_description?: string | null;
};

export type ObserverStatus = {
  active: boolean;
  muted: boolean;
  lastEvaluation: string | null;
};

export type OfferedConstraint = {
  title: string;
  description: string;
  minLevel: number;
  unlocked: boolean;
};

export type OpenFile = {
  path: string;
  content: string;
  language: string;
  lineCount: number;
  saved?: string | null;
};

export type Period = "7d" | "30d" | "all";

/** "Review My Work": the active phase's changes. */
export type PhaseReview = {
  kataId?: null;
  phase: number | null;
  review: string;
  suggestions: string[];
  passed: boolean;
  offline: boolean;
};

export type PhaseStatus = "pending" | "active" | "complete";

export type PhaseUpdate = {
  phase: PhaseView;
  status: PhaseStatus;
  description: string;
};

export type PhaseView = {
  id: string;
  number: number;
  title: string;
  description: string;
  status: PhaseStatus;
  hintLevel: HintLevel;
  expectedFiles: string[];
};

export type PlanDraft = {
  planText: string;
  offline: boolean;
};

export type PlanReady = {
  planId: string;
  phases: PlannedPhase[];
  memoryConnection: string | null;
  estimatedDifficulty: Difficulty;
};

export type PlannedPhase = {
  number: number;
  title: string;
  description: string;
  hintLevel: HintLevel;
  status: PhaseStatus;
};

export type Position = {
  line?: number;
  column?: number;
};

export type PriorityFactors = {
  userTagged: boolean;
  similarToRecentWork: boolean;
  addressesKnowledgeGap: boolean;
  teamUrgency: "low" | "medium" | "high";
};

/** What `connection:error` says. */
export type Problem = {
  code: string;
  message: string;
  context: Record<string, unknown>;
};

/** Lines and columns, from 1, both ends included. */
export type RangeInput = {
  startLine: number;
  startCol?: number;
  endLine: number;
  endCol?: number;
};

/** Lines and columns, from 1, both ends included. */
export type RangeOutput = {
  startLine: number;
  startCol: number;
  endLine: number;
  endCol: number;
};

export type RankedIssue = {
  number: number;
  title: string;
  summary: string;
  labels: string[];
  suitability: "good_fit" | "stretch" | "too_advanced";
  suitabilityReason: string;
  estimatedDifficulty: Difficulty;
  relevantSkills: string[];
  priorityScore: number;
  priorityFactors: PriorityFactors;
  learningOpportunities: string[];
};

export type Recommendation = {
  knowledgeGap: string;
  resources: Resource[];
  studyOrder: string;
  practiceConnection: string | null;
};

/** One kata, or whichever is the best to do next. */
export type RequestKata = {
  kataId?: string | null;
};

export type Resource = {
  type: "documentation" | "article" | "video" | "tutorial";
  title: string;
  url: string;
  description: string;
  relevance: "direct" | "deep_dive" | "supplementary";
  estimatedTime: string;
};

export type RestoredState = {
  sessionId: string;
  previousSessionId?: string | null;
  issueContext: IssueContext;
  planId?: string | null;
  phases: PhaseView[];
  hintLevel: HintLevel;
  openFiles: string[];
  startedAt: string;
};

export type ResumeSession = {
  sessionId: string;
};

export type Resumed = {
  restoredState: RestoredState;
};

/** `user:review` and `practice:submit_solution`; without a kata: the active phase's work. */
export type Review = {
  kataId?: string | null;
  userCode?: string;
  activeConstraintTitles?: string[];
};

export type ReviewError = {
  kataId: string | null;
  error: string;
};

export type SaveAck = {
  path: string;
  success: true;
  timestamp: string;
};

export type SaveError = {
  path: string;
  error: string;
};

export type Scroll = {
  path?: string | null;
};

export type Selection = {
  path: string;
  range: RangeInput;
  textLength?: number;
};

export type ShowIssue = {
  number?: number | null;
  title: string;
  summary: string;
  labels: string[];
  url?: string | null;
};

/** Why the observer would speak. */
export type Signal = "wrong_file" | "scope_drift" | "idle" | "phase_complete" | "edit_loop" | "no_nudge";

/** One spoke of the radar; the score is 0 to 1. */
export type SkillPoint = {
  name: string;
  stage: Stage;
  score: number;
};

/** The catalogue's short form of a kata's review, for who sent `practice:submit_solution`. */
export type SolutionReview = {
  kataId: string;
  review: string;
  level: number;
  passed: boolean;
  constraintsUnlocked: Constraint[];
};

export type Stage = "novice" | "advanced_beginner" | "competent" | "proficient" | "expert";

/** An issue by its number, or in one's own words, or both. */
export type StartSession = {
  issueNumber?: number | null;
  issueTitle?: string | null;
  issueSummary?: string | null;
};

export type Started = {
  sessionId: string;
  issueContext: IssueContext;
  phases: PhaseView[];
  hintLevel: HintLevel;
  openFiles: string[];
};

export type Stats = {
  period: Period;
  sessionsCompleted: number;
  totalCoachingMinutes: number;
  issuesWorkedOn: number;
  knowledgeGapsIdentified: number;
  knowledgeGapsAddressed: number;
  hintsUsed: number;
  apiCostTotal: number;
};

export type SubmitPlan = {
  planText: string;
  issueSummary?: string | null;
  issueNumber?: number | null;
};

/** A session in numbers and a sentence. */
export type Summary = {
  sessionId: string;
  status: string;
  durationMs: number;
  text: string;
  phasesCompleted: number;
  phasesTotal: number;
  knowledgeGaps: number;
  kataSpecs: number;
  dreyfusUpdates: number;
  memoriesStored: number;
};

export type TabSwitch = {
  fromPath?: string | null;
  toPath: string;
};

export type TerminalInput = {
  input: string;
};

export type TerminalSize = {
  cols: number;
  rows: number;
};

export type Tree = {
  root: TreeNode;
};

/** One file or directory, in the wire's own shape: a tree has tens of thousands of nodes, and objects that are turned into this later would cost more than reading the disk. */
export type TreeNode = {
  name: string;
  path: string;
  type: "file" | "directory";
  children?: TreeNode[];
};

export type TreeUpdate = {
  action: string;
  path: string;
  newPath?: string | null;
};

export type UpdatePhase = {
  phase: number;
  status: PhaseStatus;
};

export type WindowSize = {
  width: number;
  height: number;
};
