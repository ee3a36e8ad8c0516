import { useQuery } from "@tanstack/react-query";
import { Brain, FileText, Sparkles } from "lucide-react";
import type { ReactNode } from "react";

import { filesKey, memoryQuery, TURN_MOVES, workspaceQuery } from "@/api/assistant";
import { useRefresh } from "@/api/live";
import { WhenReady } from "@/components/States";

import { FileLink } from "./FileLink";
import { NewFile } from "./NewFile";

type Props = { plugin: string; open?: string };

/** A person's files and, told apart from them, what was remembered. */
export function FileSidebar({ plugin, open }: Props) {
  const workspace = useQuery(workspaceQuery(plugin));
  const memory = useQuery(memoryQuery);
  useRefresh([...TURN_MOVES, "memory.*"], filesKey);

  return (
    <div className="relative space-y-5 p-1 text-sm">
      <Shelf title="Your files" icon={<FileText aria-hidden className="size-4" />}>
        <WhenReady query={workspace}>
          {({ files, offers = [] }) => (
            <>
              {foldersOf([...new Set([...files, ...offers])].sort()).map(([folder, paths]) => (
                <Folder key={folder} name={folder} paths={paths} open={open} offers={offers} />
              ))}
              <NewFile plugin={plugin} taken={files} />
            </>
          )}
        </WhenReady>
      </Shelf>
      <Shelf title="Memory" icon={<Brain aria-hidden className="size-4" />} isMemory>
        <WhenReady query={memory}>
          {({ files }) =>
            files.length > 0 ? (
              <Folder name="" paths={files.map(({ path }) => path)} open={open} offers={[]} />
            ) : (
              <p className="px-2 text-muted">
                Nothing is remembered yet. You are asked at the end of a turn, and decide.
              </p>
            )
          }
        </WhenReady>
      </Shelf>
    </div>
  );
}

type ShelfProps = { title: string; icon: ReactNode; isMemory?: boolean; children: ReactNode };

function Shelf({ title, icon, isMemory = false, children }: ShelfProps) {
  return (
    <section className={isMemory ? "rounded-lg border border-accent/40 bg-accent-soft/40 py-2" : ""}>
      <h2 className="mb-1 flex items-center gap-2 px-2 font-semibold">
        {icon}
        {title}
      </h2>
      {children}
    </section>
  );
}

type FolderProps = { name: string; paths: readonly string[]; open?: string; offers: readonly string[] };

function Folder({ name, paths, open, offers }: FolderProps) {
  return (
    <div className="mb-2">
      {name && <h3 className="px-2 text-xs text-muted">{name}</h3>}
      <ul>
        {paths.map((path) => (
          <li key={path}>
            <FileLink
              path={path}
              isCurrent={path === open}
              className="flex items-center gap-2 rounded-md px-2 py-1 break-all hover:bg-sunken [&[aria-current]]:bg-sunken [&[aria-current]]:font-medium"
            >
              <span className="grow">{name ? path.slice(name.length + 1) : path.replace("memory/", "")}</span>
              {offers.includes(path) && (
                <Sparkles aria-label="a newer version is offered" className="size-4 text-info" />
              )}
            </FileLink>
          </li>
        ))}
      </ul>
    </div>
  );
}

function foldersOf(paths: readonly string[]): [string, string[]][] {
  const folders = new Map<string, string[]>([["", []]]);
  for (const path of paths) {
    const folder = path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return [...folders];
}
