import type { Content, ServerMessage } from "@/api/coach";

import { isUnsaved, type Tab } from "./state";

/** What happens to the open files in this window. */
export type TabMove =
  | { type: "tab:opening"; path: string; askedBy?: string }
  | { type: "tab:typed"; path: string; text: string }
  | { type: "tab:sent"; path: string; text: string }
  | { type: "tab:saving"; path: string; text: string }
  | { type: "tab:on_disk"; path: string; text: string | null }
  | { type: "tab:kept"; path: string }
  | { type: "tab:reloaded"; path: string }
  | { type: "tab:closed"; path: string };

type Message =
  | ServerMessage
  | TabMove
  | { type: `${"desk" | "hints" | "editor" | "talk" | "report"}:${string}` };

/** The open files after a message. A person's own text is never replaced by the server's. */
export function tabsAfter(tabs: readonly Tab[], message: Message): readonly Tab[] {
  const change = (path: string, changed: (tab: Tab) => Tab) =>
    tabs.map((tab) => (tab.path === path ? changed(tab) : tab));

  switch (message.type) {
    case "tab:opening":
      if (!tabs.some(({ path }) => path === message.path)) return [...tabs, opening(message)];
      return change(message.path, (tab) => ({ ...tab, askedBy: message.askedBy }));
    case "tab:typed":
      return change(message.path, (tab) => ({ ...tab, text: message.text, saveProblem: undefined }));
    case "tab:sent":
      return change(message.path, (tab) => ({ ...tab, sent: message.text }));
    case "tab:saving":
      return change(message.path, (tab) => ({ ...tab, saving: message.text, saveProblem: undefined }));
    case "tab:on_disk":
      return change(message.path, (tab) => onDisk(tab, message.text));
    case "tab:kept":
      return change(message.path, (tab) => ({ ...tab, saved: tab.foreign ?? tab.saved, foreign: undefined }));
    case "tab:reloaded":
      return change(message.path, (tab) => withDisk(tab, tab.foreign ?? tab.saved));
    case "tab:closed":
      return tabs.filter(({ path }) => path !== message.path);
    default:
      return "payload" in message ? afterServer(tabs, message, change) : tabs;
  }
}

type Change = (path: string, changed: (tab: Tab) => Tab) => readonly Tab[];

function afterServer(tabs: readonly Tab[], message: ServerMessage, change: Change): readonly Tab[] {
  switch (message.type) {
    case "fs:content":
      return change(message.payload.path, (tab) => withContent(tab, message.payload));
    case "editor:open_file": {
      const { payload } = message;
      if (tabs.some(({ path }) => path === payload.path)) return tabs;
      return [...tabs, withContent(opening(payload), payload)];
    }
    case "fs:save_ack":
      return change(message.payload.path, acknowledged);
    case "fs:save_error":
      return change(message.payload.path, (tab) => ({
        ...tab,
        saving: undefined,
        saveProblem: message.payload.error,
      }));
    case "connection:error":
      return tabs.filter((tab) => !tab.isLoading || tab.askedBy === undefined || tab.askedBy !== message.id);
    default:
      return tabs;
  }
}

function opening({ path, askedBy }: { path: string; askedBy?: string }): Tab {
  return { path, askedBy, language: "", isLoading: true, text: "", saved: "", sent: "" };
}

function withContent(tab: Tab, { content, saved, language }: Content): Tab {
  const disk = saved ?? content;
  if (!tab.isLoading && isUnsaved(tab)) return onDisk({ ...tab, language }, disk);
  return { ...withDisk({ ...tab, language, isLoading: false }, disk), text: content, sent: content };
}

function withDisk(tab: Tab, disk: string): Tab {
  return { ...tab, text: disk, saved: disk, sent: disk, foreign: undefined, isGone: false };
}

/** Somebody wrote the file, or deleted it: null. It may have been this window. */
function onDisk(tab: Tab, disk: string | null): Tab {
  if (tab.isLoading) return tab;
  if (disk === null) return { ...tab, isGone: true };
  if (disk === tab.saved || disk === tab.saving) return { ...tab, isGone: false, foreign: undefined };
  if (tab.text === tab.saved || tab.text === disk) return withDisk(tab, disk);
  return { ...tab, isGone: false, foreign: disk };
}

function acknowledged(tab: Tab): Tab {
  if (tab.saving === undefined) return tab;
  return {
    ...tab,
    saved: tab.saving,
    saving: undefined,
    saveProblem: undefined,
    foreign: undefined,
    isGone: false,
  };
}
