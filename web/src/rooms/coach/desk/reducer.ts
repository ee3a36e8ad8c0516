import type { ServerMessage } from "@/api/coach";
import type { DeskView, HintLevel } from "@/api/schema";

import { marksAfter } from "./marks";
import { type DeskState, EMPTY, type Selected, type TalkItem, type Told, type Waiting } from "./state";
import { type TabMove, tabsAfter } from "./tabs";
import { told } from "./telling";
import { withFolder } from "./tree";

/** What this window itself does to the desk. */
export type Move =
  | TabMove
  | { type: "desk:restored"; desk: DeskView; talk: readonly TalkItem[] }
  | { type: "desk:unreachable"; error: Error }
  | { type: "desk:lost" }
  | { type: "hints:level"; level: HintLevel }
  | { type: "editor:selected"; selected: Selected | null }
  | { type: "talk:asked"; waiting: Waiting; id: string; text: string }
  | { type: "report:read" };

const NO_MARKS = { fileHints: [], regions: {}, highlights: [], hovers: [] };

/** The desk after a message of the server, or after a move in this window. */
export function coachReducer(state: DeskState, message: ServerMessage | Move): DeskState {
  const next = { ...withSession(state, message), ...marksAfter(state, message) };
  const tabs = tabsAfter(next.tabs, message);
  const answered = withAnswers({ ...next, tabs }, message);
  const items = told(message, state);
  return items.length > 0 ? { ...answered, talk: withItems(answered.talk, items) } : answered;
}

function withSession(state: DeskState, message: ServerMessage | Move): DeskState {
  switch (message.type) {
    case "desk:restored":
      return restored(state, message.desk, message.talk);
    case "desk:unreachable":
      return { ...state, problem: message.error };
    case "session:started": {
      const { sessionId: id, issueContext: issue, phases, hintLevel } = message.payload;
      return { ...state, session: { id, issue }, phases, hintLevel, talk: [], ended: null };
    }
    case "session:resumed": {
      const { sessionId: id, issueContext: issue, phases, hintLevel } = message.payload.restoredState;
      const talk = state.session?.id === id ? state.talk : [];
      return { ...state, session: { id, issue }, phases, hintLevel, talk, ended: null };
    }
    case "session:ended":
      if (state.session && state.session.id !== message.payload.summary.sessionId) return state;
      return { ...state, ...NO_MARKS, session: null, phases: [], ended: message.payload.summary };
    case "coaching:issue_context":
      return state.session ? { ...state, session: { ...state.session, issue: message.payload } } : state;
    case "coaching:plan_ready":
      return { ...state, phases: message.payload.phases };
    case "coaching:phase_update": {
      const moved = message.payload.phase;
      const phases = state.phases.map((phase) => (phase.number === moved.number ? moved : phase));
      return { ...state, phases };
    }
    case "observer:status":
      return { ...state, observer: message.payload };
    case "fs:tree":
      return { ...state, tree: withFolder(state.tree, message.payload.root) };
    case "hints:level":
      return { ...state, hintLevel: message.level };
    case "editor:selected":
      return { ...state, selected: message.selected };
    case "report:read":
      return { ...state, ended: null };
    default:
      return state;
  }
}

function restored(state: DeskState, desk: DeskView, talk: readonly TalkItem[]): DeskState {
  const session = desk.session && { id: desk.session.sessionId, issue: full(desk.session.issueContext) };
  return {
    ...state,
    isRestored: true,
    problem: undefined,
    session,
    phases: desk.session?.phases ?? [],
    hintLevel: desk.session?.hintLevel ?? EMPTY.hintLevel,
    observer: desk.observer,
    talk: state.session?.id === session?.id && state.talk.length > 0 ? state.talk : talk,
  };
}

function full(issue: NonNullable<DeskView["session"]>["issueContext"]) {
  return { summary: "", labels: [], ...issue };
}

/** A question is answered by what answers it, by its refusal, or by the loss of the connection. */
function withAnswers(state: DeskState, message: ServerMessage | Move): DeskState {
  switch (message.type) {
    case "talk:asked":
      return { ...state, waiting: { ...state.waiting, [message.waiting]: message.id } };
    case "explain:response":
    case "explain:error":
      return { ...state, waiting: { ...state.waiting, explain: undefined } };
    case "review:response":
    case "review:error":
      return message.payload.kataId ? state : { ...state, waiting: { ...state.waiting, review: undefined } };
    case "connection:error": {
      const { explain, review } = state.waiting;
      const kept = (id?: string) => (id === message.id ? undefined : id);
      return { ...state, waiting: { explain: kept(explain), review: kept(review) } };
    }
    case "desk:lost":
      return { ...state, waiting: {} };
    default:
      return state;
  }
}

/** More than anybody scrolls back. */
const LONGEST_TALK = 200;

function withItems(talk: readonly TalkItem[], items: readonly Told[]): readonly TalkItem[] {
  const last = talk.at(-1)?.key ?? 0;
  const added = items.map((item, index) => ({ ...item, key: last + index + 1, at: Date.now() }));
  return [...talk, ...added].slice(-LONGEST_TALK);
}
