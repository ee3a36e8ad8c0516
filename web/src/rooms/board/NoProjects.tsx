import { FolderPlus } from "lucide-react";

import { CopyLine } from "@/components/CopyLine";
import { Empty } from "@/components/States";

import { ScanButton } from "./ScanButton";

/** The first thing that anyone sees here who has not used OpenSpec yet. */
export function NoProjects() {
  return (
    <Empty title="No project is on the board yet" icon={<FolderPlus className="size-6" />}>
      <p>
        A project is a folder with <code>openspec</code> in it: this server's own, or one in{" "}
        <code>PROJECTS_DIR</code>. Begin in your project's folder:
      </p>
      <div className="my-3 space-y-2 text-left">
        <CopyLine text="npm install -g @fission-ai/openspec" />
        <CopyLine text="openspec init" />
      </div>
      <p className="mb-3">
        Or make the folder yourself with <code>mkdir -p openspec/changes openspec/specs</code>. The board
        looks every five minutes, or now:
      </p>
      <ScanButton kind="primary" />
    </Empty>
  );
}
