import { expect, test } from "vitest";

import type { TreeNode } from "@/api/coach";

import { filePaths, foldersOf, glow, visibleRows, withFolder } from "./tree";

const file = (path: string): TreeNode => ({ name: path.split("/").at(-1)!, path, type: "file" });
const folder = (path: string, ...children: TreeNode[]): TreeNode => ({
  name: path.split("/").at(-1)!,
  path,
  type: "directory",
  children,
});
const TREE = folder("", folder("src", folder("src/tally", file("src/tally/trip.py"))), file("README.md"));

test("only what is in open folders can be seen", () => {
  const shown = (...open: string[]) => visibleRows(TREE, new Set(open)).map(({ node }) => node.path);
  expect(shown()).toEqual(["src", "README.md"]);
  expect(shown("src", "src/tally")).toEqual(["src", "src/tally", "src/tally/trip.py", "README.md"]);
  expect(shown("src/tally")).toEqual(["src", "README.md"]);
});

test("a folder that is read again replaces itself alone", () => {
  const next = withFolder(TREE, folder("src/tally", file("src/tally/money.py")));
  expect(filePaths(next)).toEqual(["src/tally/money.py", "README.md"]);
  expect(filePaths(TREE)).toEqual(["src/tally/trip.py", "README.md"]);
});

test("a hinted file glows by its style, and its folders lead there", () => {
  const hints = [{ path: "src/tally/trip.py", style: "critical" as const }];
  expect(glow(file("src/tally/trip.py"), hints)).toBe("critical");
  expect(glow(folder("src"), hints)).toBe("inside");
  expect(glow(folder("sr"), hints)).toBeUndefined();
});

test("the folders on the way to a file", () => {
  expect(foldersOf("src/tally/trip.py")).toEqual(["src", "src/tally"]);
  expect(foldersOf("README.md")).toEqual([]);
});
