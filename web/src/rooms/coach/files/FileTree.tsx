import { type KeyboardEvent, useEffect, useRef, useState } from "react";

import type { FileHint, TreeNode } from "@/api/coach";
import { socket } from "@/api/socket";
import { useKept } from "@/lib/kept";

import { foldersOf, glow, type Row, visibleRows } from "../desk/tree";
import { TreeRow } from "./TreeRow";

type Props = {
  tree: TreeNode;
  hints: readonly FileHint[];
  active?: string;
  onOpen: (path: string) => void;
};

/** The project's files. Arrows move and open, Enter shows a file; one row at a time takes the focus. */
export function FileTree({ tree, hints, active, onOpen }: Props) {
  const [kept, keep] = useKept<string[]>("coach.folders", []);
  const [focused, setFocused] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const open = new Set(kept);
  const rows = visibleRows(tree, open);
  const current = rows.find(({ node }) => node.path === focused) ?? rows.find(isActive) ?? rows[0];

  useEffect(() => {
    if (active) keep([...new Set([...kept, ...foldersOf(active)])]);
  }, [active]);

  function isActive({ node }: Row) {
    return node.path === active;
  }

  function toggle({ node, isOpen }: Row) {
    keep(isOpen ? kept.filter((path) => path !== node.path) : [...kept, node.path]);
    socket.say(isOpen ? "explorer:collapse_dir" : "explorer:expand_dir", { path: node.path });
  }

  function choose(row: Row) {
    setFocused(row.node.path);
    if (row.node.type === "directory") toggle(row);
    else onOpen(row.node.path);
  }

  function focus(row: Row | undefined) {
    if (!row) return;
    setFocused(row.node.path);
    list.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(row.node.path)}"]`)?.focus();
  }

  function pressed(event: KeyboardEvent) {
    if (!current) return;
    const at = rows.indexOf(current);
    const { node, isOpen, parent } = current;
    const acts: Record<string, () => void> = {
      ArrowDown: () => focus(rows[at + 1]),
      ArrowUp: () => focus(rows[at - 1]),
      Home: () => focus(rows[0]),
      End: () => focus(rows.at(-1)),
      ArrowRight: () => (node.type === "directory" && !isOpen ? toggle(current) : focus(rows[at + 1])),
      ArrowLeft: () => (isOpen ? toggle(current) : focus(rows.find((row) => row.node.path === parent))),
      Enter: () => choose(current),
      " ": () => choose(current),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  return (
    <div
      ref={list}
      role="tree"
      aria-label="Files of the project"
      tabIndex={-1}
      onKeyDown={pressed}
      onFocus={({ target }) => setFocused((target as HTMLElement).dataset.path)}
    >
      {rows.map((row) => (
        <TreeRow
          key={row.node.path}
          row={row}
          glow={glow(row.node, hints)}
          isActive={isActive(row)}
          isReachable={row === current}
          onChoose={() => choose(row)}
        />
      ))}
    </div>
  );
}
