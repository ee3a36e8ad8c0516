import type { EventView } from "@/api/schema";
import { plain, plural } from "@/lib/words";

type Payload = EventView["payload"];
type Sentence = (payload: Payload) => string;

/** What happened, as somebody would say it. Topics that are not here are shown plainly. */
const SENTENCES: Record<string, Sentence> = {
  "agents.registered": ({ woken }) => (woken ? "An agent resumed work" : "An agent started work"),
  "agents.idle": ({ minutes }) => `An agent has been quiet for ${plural(Number(minutes), "minute")}`,
  "agents.ended": ({ why }) => `An agent left${because(why)}`,
  "agents.asked": (payload) => `An agent asks: ${text(payload, "question")}`,
  "agents.answered": (payload) => `An agent got its answer: ${text(payload, "answer")}`,
  "agents.summary": ({ total_tools, failed }) =>
    `An agent's work is done: ${plural(Number(total_tools), "tool call")}, ${Number(failed)} failed`,
  "work.claimed": (payload) => `An agent took ${title(payload)}`,
  "work.progress": (payload) => `${title(payload)} moves on`,
  "work.completed": (payload) => `${title(payload)} is finished`,
  "work.released": (payload) => `${title(payload)} is free again${because(payload.why)}`,
  "specs.found": (payload) => `A change was found: ${title(payload)}`,
  "specs.changed": (payload) => `${title(payload)} was edited`,
  "specs.removed": (payload) => `${title(payload)} is gone from its project`,
  "specs.conflict": (payload) => `${title(payload)} was edited in two places; both texts are kept`,
  "specs.problem": (payload) => `${title(payload)} cannot be read: ${text(payload, "problem")}`,
  "specs.moved": (payload) => `${title(payload)} is now ${plain(text(payload, "to_state"))}`,
  "specs.scanned": ({ found }) => `Projects were looked for; ${plural(listed(found), "new one", "new ones")}`,
  "errors.reported": ({ total, failed }) =>
    `A test report came in: ${plural(Number(total), "test")}, ${Number(failed)} failed`,
  "errors.seen": (payload) => `A test began to fail: ${text(payload, "test_name")}`,
  "errors.green": (payload) => `A test passes again: ${text(payload, "test_name")}`,
  "errors.reopened": (payload) => `A test fails again after its fix: ${text(payload, "test_name")}`,
  "errors.triaged": (payload) => `A failing test was sorted out: ${text(payload, "test_name")}`,
  "journal.started": () => "A prediction was written down",
  "journal.updated": ({ adopted }) =>
    adopted ? "A prediction was taken up again" : "A prediction was revised",
  "journal.resolved": () => "A prediction came to its end",
  "journal.evidence_attached": () => "Evidence was added to a prediction",
  "journal.value_stored": () => "A value was kept in the journal",
  "library.created": (payload) => `The library ${text(payload, "library")} was made`,
  "library.removed": (payload) => `The library ${text(payload, "library")} was removed`,
  "library.ingested": (payload) => `Documents were read into ${text(payload, "library")}`,
  "memory.added": ({ ids }) => `${plural(listed(ids), "memory was", "memories were")} kept`,
  "memory.changed": () => "A memory was changed",
  "memory.forgotten": ({ ids }) => `${plural(listed(ids), "memory was", "memories were")} forgotten`,
  "research.asked": () => "Research asks something of you",
  "research.answered": () => "A request of research was answered",
  "session.started": (payload) => `${session(payload)} began`,
  "session.changed": (payload) => `${session(payload)} changed`,
  "session.ended": (payload) => `${session(payload)} ended`,
  "session.deleted": (payload) => `${session(payload)} was deleted`,
  "run.queued": (payload) => `${run(payload)} was started`,
  "run.started": (payload) => `${run(payload)} is under way`,
  "run.paused": (payload) => `${run(payload)} needs your reply`,
  "run.replied": (payload) => `${run(payload)} got a reply`,
  "run.expired": (payload) => `${run(payload)} waited too long and went on`,
  "run.completed": (payload) => `${run(payload)} is complete`,
  "run.failed": (payload) => `${run(payload)} failed`,
  "run.cancelled": (payload) => `${run(payload)} was cancelled`,
};

const RUNS: Record<string, string> = {
  research: "A research run",
  assistant: "A turn of the assistant",
  assistant_eval: "An evaluation",
  library_ingest: "Reading documents",
  library_link: "Linking paragraphs",
};

const SESSIONS: Record<string, string> = {
  coaching: "A coaching session",
  agent: "An agent's session",
  assistant: "A session with the assistant",
  research: "A research session",
};

export function sentence({ topic, payload }: Pick<EventView, "topic" | "payload">): string {
  return SENTENCES[topic]?.(payload) ?? plain(topic).replaceAll(".", ": ");
}

export type ActivityItem = { id: string; text: string; at: string; times: number };

/** Newest first; the same said several times in a row is said once. */
export function collapseRepeats(events: readonly EventView[]): ActivityItem[] {
  const items: ActivityItem[] = [];
  for (const event of events) {
    const text = sentence(event);
    const before = items.at(-1);
    if (before?.text === text) before.times += 1;
    else items.push({ id: event.id, text, at: event.created_at, times: 1 });
  }
  return items;
}

function text(payload: Payload, name: string): string {
  const value = payload[name];
  return typeof value === "string" && value ? value : "…";
}

function title(payload: Payload): string {
  return `“${typeof payload.title === "string" ? payload.title : text(payload, "change_id")}”`;
}

function because(why: unknown): string {
  return typeof why === "string" && why ? ` (${plain(why)})` : "";
}

function listed(value: unknown): number {
  return Array.isArray(value) ? value.length : Number(value) || 0;
}

function run({ kind }: Payload): string {
  return RUNS[String(kind)] ?? `A run (${plain(String(kind))})`;
}

function session({ kind, title: name }: Payload): string {
  const what = SESSIONS[String(kind)] ?? "A session";
  return typeof name === "string" && name ? `${what}, “${name}”,` : what;
}
