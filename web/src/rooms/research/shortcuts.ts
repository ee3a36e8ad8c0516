import type { Shortcut } from "@/shell/shortcuts";

export const RESEARCH_SHORTCUTS: readonly Shortcut[] = [
  { keys: "Ctrl Enter", does: "Ask, or send a reply (⌘ Enter on a Mac)" },
  { keys: "Escape", does: "Close the cited paragraph beside an answer" },
];
