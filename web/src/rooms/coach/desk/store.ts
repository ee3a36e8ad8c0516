import { useEffect, useSyncExternalStore } from "react";

import type { ServerMessage } from "@/api/coach";
import { readDesk, readFile } from "@/api/coaching";
import { ServerError } from "@/api/client";
import { socket } from "@/api/socket";
import { toastError } from "@/components/Toasts";

import { keepTalk, keptTalk } from "./keeping";
import { coachReducer, type Move } from "./reducer";
import { type DeskState, EMPTY, isUnsaved, type Tab } from "./state";

/** After these the level of the hints may be another, which no message says. */
const MOVES_LEVEL = new Set<ServerMessage["type"]>([
  "coaching:plan_ready",
  "coaching:phase_update",
  "explorer:hint_files",
  "explorer:clear_hints",
]);
const SOON = 200;
const RETRY = 2_000;

/**
 * The desk of this window. It outlives the page that shows it, so that nothing typed is lost by
 * looking at another one, and tells the server again what is open whenever the connection is back.
 */
export class Desk {
  state: DeskState = EMPTY;
  #watchers = new Set<() => void>();
  #soon = new Map<string, ReturnType<typeof setTimeout>>();
  #isOpen = false;

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    socket.listen((message) => this.#hear(message));
    socket.watch(() => this.#follow());
    if (socket.state === "live") void this.settle();
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  dispatch(move: ServerMessage | Move): void {
    const before = this.state;
    this.state = coachReducer(before, move);
    if (this.state.talk !== before.talk) keepTalk(this.state);
    for (const watcher of this.#watchers) watcher();
  }

  tab(path: string): Tab | undefined {
    return this.state.tabs.find((tab) => tab.path === path);
  }

  /** Once, a little later, however often it is asked for meanwhile. */
  soon(key: string, act: () => void, after = SOON): void {
    clearTimeout(this.#soon.get(key));
    this.#soon.set(key, setTimeout(act, after));
  }

  notAnymore(key: string): void {
    clearTimeout(this.#soon.get(key));
  }

  /** Take over what the server has, and tell it what it may have missed. */
  async settle(): Promise<void> {
    try {
      const desk = await readDesk();
      this.dispatch({ type: "desk:restored", desk, talk: keptTalk(desk.session?.sessionId) });
      for (const path of desk.openFiles) this.dispatch({ type: "tab:opening", path });
    } catch (error) {
      this.dispatch({ type: "desk:unreachable", error: error as Error });
      if (this.state.isRestored) this.soon("settle", () => void this.settle(), RETRY);
      return;
    }
    for (const tab of this.state.tabs) this.#tellOf(tab);
    socket.say("explorer:expand_dir", { path: "" });
  }

  #tellOf({ path, ...tab }: Tab): void {
    if (tab.saving !== undefined) {
      socket.say("file:save", { path, content: tab.saving });
    } else if (isUnsaved({ path, ...tab })) {
      socket.say("buffer:update", { path, content: tab.text });
      this.dispatch({ type: "tab:sent", path, text: tab.text });
    }
    this.dispatch({ type: "tab:opening", path, askedBy: socket.say("file:open", { path }) });
  }

  #follow(): void {
    if (socket.state === "live") void this.settle();
    if (socket.state === "lost") this.dispatch({ type: "desk:lost" });
  }

  #hear(message: ServerMessage): void {
    if (message.type === "connection:error") this.#refused(message.payload.message, message.id);
    this.dispatch(message);
    if (message.type === "fs:tree_update") this.#look(message.payload);
    if (message.type === "session:resumed") this.soon("settle", () => void this.settle());
    if (MOVES_LEVEL.has(message.type)) this.soon("level", () => void this.#askLevel());
  }

  #refused(why: string, id: string | undefined): void {
    if (id === undefined) return;
    toastError(new Error(why));
    const refused = this.state.tabs.find((tab) => tab.isLoading && tab.askedBy === id);
    // Else the server would name it again after every reload.
    if (refused) socket.say("file:close", { path: refused.path });
  }

  #look({ action, path }: { action: string; path: string }): void {
    if (action !== "change") this.soon("tree", () => socket.say("explorer:expand_dir", { path: "" }));
    if (!this.tab(path)) return;
    if (action === "unlink") this.dispatch({ type: "tab:on_disk", path, text: null });
    else this.soon(`disk ${path}`, () => void this.#readDisk(path));
  }

  async #readDisk(path: string): Promise<void> {
    try {
      const { content, saved } = await readFile(path);
      this.dispatch({ type: "tab:on_disk", path, text: saved ?? content });
    } catch (error) {
      const isGone = error instanceof ServerError && error.status === 404;
      if (isGone) this.dispatch({ type: "tab:on_disk", path, text: null });
    }
  }

  async #askLevel(): Promise<void> {
    const level = await readDesk().then(
      ({ session }) => session?.hintLevel,
      () => undefined, // the connection's loss is told elsewhere
    );
    if (level) this.dispatch({ type: "hints:level", level });
  }
}

export const desk = new Desk();

/** A part of the desk; the part itself must stay the same while nothing in it changes. */
export function useDesk<T>(select: (state: DeskState) => T): T {
  useEffect(() => desk.open(), []);
  return useSyncExternalStore(desk.watch, () => select(desk.state));
}
