import { Loading } from "@/components/States";

import { useDesk } from "../desk/store";
import { useShowFile } from "../places";
import { FileTree } from "./FileTree";

export function FilesPane({ active }: { active?: string }) {
  const tree = useDesk((state) => state.tree);
  const hints = useDesk((state) => state.fileHints);
  const showFile = useShowFile();

  return (
    <div className="h-full overflow-auto rounded-lg border bg-surface p-2">
      <h2 className="sr-only">Files</h2>
      {tree === null && <Loading lines={8} label="Loading the files" />}
      {tree && !tree.children?.length && (
        <p className="p-2 text-sm text-muted">This project has no files yet.</p>
      )}
      {tree?.children?.length ? (
        <FileTree tree={tree} hints={hints} active={active} onOpen={(path) => showFile(path)} />
      ) : null}
    </div>
  );
}
