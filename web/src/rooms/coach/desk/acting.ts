import type { Position } from "@/api/coach";
import { socket } from "@/api/socket";

import { isUnsent, type Selected } from "./state";
import { desk } from "./store";

/** How long after the last keystroke the coach is told of it. */
const TYPING_PAUSE = 300;
const SELECTING_PAUSE = 400;

// Of open files nothing waits in the socket's outbox: `settle` tells all of them when it is back.
function isLive(): boolean {
  return socket.state === "live";
}

export function openFile(path: string): void {
  if (desk.tab(path)) return;
  desk.dispatch({
    type: "tab:opening",
    path,
    askedBy: isLive() ? socket.say("file:open", { path }) : undefined,
  });
}

export function typeText(path: string, text: string, cursor?: Position): void {
  if (desk.tab(path)?.text === text) return;
  desk.dispatch({ type: "tab:typed", path, text });
  desk.soon(`send ${path}`, () => sendText(path, cursor), TYPING_PAUSE);
}

function sendText(path: string, cursorPosition?: Position): void {
  const text = desk.tab(path)?.text;
  if (text === undefined || !isLive()) return;
  desk.notAnymore(`send ${path}`);
  socket.say("buffer:update", { path, content: text, cursorPosition });
  desk.dispatch({ type: "tab:sent", path, text });
}

export function sendAllText(): void {
  for (const tab of desk.state.tabs) if (isUnsent(tab)) sendText(tab.path);
}

export function saveFile(path: string): void {
  const tab = desk.tab(path);
  if (!tab || tab.isLoading || tab.saving !== undefined) return;
  desk.notAnymore(`send ${path}`);
  desk.dispatch({ type: "tab:saving", path, text: tab.text });
  if (isLive()) socket.say("file:save", { path, content: tab.text });
}

export function closeFile(path: string): void {
  desk.notAnymore(`send ${path}`);
  socket.say("file:close", { path });
  desk.dispatch({ type: "tab:closed", path });
}

/** Take what is on disk instead of what was typed. */
export function reloadFile(path: string): void {
  desk.dispatch({ type: "tab:reloaded", path });
  sendText(path);
}

export function keepText(path: string): void {
  desk.dispatch({ type: "tab:kept", path });
}

export function selectText(selected: Selected | null): void {
  desk.dispatch({ type: "editor:selected", selected });
  if (!selected) return;
  const { path, range, text } = selected;
  const tell = () => isLive() && socket.say("editor:selection", { path, range, textLength: text.length });
  desk.soon("selection", tell, SELECTING_PAUSE);
}

export function tellTabSwitch(fromPath: string | undefined, toPath: string): void {
  if (isLive()) socket.say("editor:tab_switch", { fromPath, toPath });
}

/** What the selected code is. Over the socket, behind the edits that it is about. */
export function explainSelection(): void {
  const { selected, waiting } = desk.state;
  if (!selected || waiting.explain) return;
  const { path, range, text } = selected;
  sendText(path);
  const id = socket.say("user:explain", { path, selection: range, selectedText: text });
  desk.dispatch({ type: "talk:asked", waiting: "explain", id, text: `${whatDo(range)} of ${path} do?` });
}

function whatDo({ startLine, endLine }: Selected["range"]): string {
  return startLine === endLine ? `What does line ${startLine}` : `What do lines ${startLine}–${endLine}`;
}

export function reviewWork(): void {
  if (desk.state.waiting.review) return;
  sendAllText();
  const id = socket.say("user:review", {});
  desk.dispatch({ type: "talk:asked", waiting: "review", id, text: "Please look at what I have done." });
}
