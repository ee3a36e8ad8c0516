import type { Shortcut } from "@/shell/shortcuts";

export const COACH_SHORTCUTS: readonly Shortcut[] = [
  { keys: "Ctrl S", does: "Save the file" },
  { keys: "Ctrl E", does: "Explain the selected code" },
  { keys: "↑ ↓", does: "Move in the tree of files" },
  { keys: "← →", does: "Close or open a folder of the tree" },
  { keys: "Enter", does: "Open the file of the tree" },
  { keys: "Esc Tab", does: "Leave the editor" },
];
