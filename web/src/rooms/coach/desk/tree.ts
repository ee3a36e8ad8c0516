import type { FileHint, FileStyle, TreeNode } from "@/api/coach";

/** The tree with one of its folders as it is now. */
export function withFolder(tree: TreeNode | null, folder: TreeNode): TreeNode {
  if (!tree || folder.path === "" || folder.path === tree.path) return folder;
  const children = tree.children?.map((child) =>
    child.path === folder.path || folder.path.startsWith(`${child.path}/`)
      ? withFolder(child, folder)
      : child,
  );
  return { ...tree, children };
}

export type Row = { node: TreeNode; level: number; isOpen: boolean; parent: string };

/** What can be seen: the root's children, and those of the folders that are open. */
export function visibleRows(tree: TreeNode, open: ReadonlySet<string>, level = 1): Row[] {
  return (tree.children ?? []).flatMap((node) => {
    const isOpen = node.type === "directory" && open.has(node.path);
    const row = { node, level, isOpen, parent: tree.path };
    return isOpen ? [row, ...visibleRows(node, open, level + 1)] : [row];
  });
}

export function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

export function filePaths(tree: TreeNode | null): string[] {
  if (!tree) return [];
  return tree.type === "file" ? [tree.path] : (tree.children ?? []).flatMap(filePaths);
}

/** The style by which a file glows, or the folders on the way to it. */
export function glow(node: TreeNode, hints: readonly FileHint[]): FileStyle | "inside" | undefined {
  if (node.type === "file") return hints.find(({ path }) => path === node.path)?.style;
  return hints.some(({ path }) => path.startsWith(`${node.path}/`)) ? "inside" : undefined;
}
