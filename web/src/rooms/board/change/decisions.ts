import {
  approveChange,
  applyChange,
  archiveChange,
  type ChangeRef,
  rejectChange,
  sendBackChange,
  takeBackChange,
} from "@/api/changes";
import type { ChangeStatus, ChangeView } from "@/api/schema";
import type { ButtonKind } from "@/components/Button";

export type Decision = {
  name: string;
  /** What comes of it. */
  does: string;
  done: string;
  kind: ButtonKind;
  /** None: decided with one click, because it can be undone. */
  note?: { label: string; hint: string; isNeeded: boolean };
  decide: (ref: ChangeRef, note: string) => Promise<ChangeView>;
  undo?: (ref: ChangeRef) => Promise<ChangeView>;
};

const OPTIONAL = { label: "Note (optional)", hint: "Kept in the history.", isNeeded: false };

const approve: Decision = {
  name: "Approve",
  does: "It goes into the queue, and the next free agent works on it.",
  done: "Approved. It waits for an agent.",
  kind: "primary",
  decide: (ref) => approveChange(ref),
  undo: (ref) => takeBackChange(ref),
};

const takeBack: Decision = {
  name: "Take back",
  does: "It leaves the queue and is a proposal again.",
  done: "Taken back. It is a proposal again.",
  kind: "plain",
  decide: (ref) => takeBackChange(ref),
  undo: (ref) => approveChange(ref),
};

const reject: Decision = {
  name: "Reject",
  does: "It is archived, and the specs stay as they are.",
  done: "Rejected and archived.",
  kind: "danger",
  note: { label: "Why?", hint: "Whoever proposed it reads this.", isNeeded: true },
  decide: (ref, reason) => rejectChange(ref, { reason }),
};

const rejectFix: Decision = {
  ...reject,
  does: `${reject.does} The same failing test is not proposed again.`,
};

const sendBack: Decision = {
  name: "Send back",
  does: "It goes into the queue again, with what is missing for the next agent.",
  done: "Sent back into the queue.",
  kind: "plain",
  note: { label: "What is missing?", hint: "The next agent sees this.", isNeeded: true },
  decide: (ref, notes) => sendBackChange(ref, { notes }),
};

const confirm: Decision = {
  name: "Confirm",
  does: "You have seen that it works. It can then be archived.",
  done: "Confirmed. Archive it to merge its specs.",
  kind: "primary",
  note: OPTIONAL,
  decide: (ref, note) => applyChange(ref, { notes: note || null }),
};

const archive: Decision = {
  name: "Archive",
  does: "The OpenSpec program merges its deltas into the main specs and archives it.",
  done: "Archived. The main specs have its deltas.",
  kind: "primary",
  note: OPTIONAL,
  decide: (ref, note) => archiveChange(ref, { notes: note || null }),
};

/** The server's moves that a person makes by hand here; the others come with an agent's session. */
const BY_MOVE: Partial<Record<`${ChangeStatus}>${ChangeStatus}`, Decision>> = {
  "proposing>approved": approve,
  "proposing>archived": reject,
  "approved>proposing": takeBack,
  "review>applied": confirm,
  "review>approved": sendBack,
  "applied>archived": archive,
};

/** What the server would let a person decide now, the way onward first. */
export function decisionsOf({ status, moves, fingerprint }: ChangeView): Decision[] {
  const found = moves.flatMap((to) => BY_MOVE[`${status}>${to}`] ?? []);
  const fitting = found.map((decision) => (decision === reject && fingerprint ? rejectFix : decision));
  return fitting.sort((one, other) => Number(other.kind === "primary") - Number(one.kind === "primary"));
}
