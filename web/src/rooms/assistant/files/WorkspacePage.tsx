import { FolderOpen } from "lucide-react";

import { Card } from "@/components/Card";
import { Page } from "@/components/Page";
import { Empty } from "@/components/States";
import { classes } from "@/lib/classes";

import { RoomTabs } from "../RoomTabs";
import { FileEditor } from "./FileEditor";
import { FileSidebar } from "./FileSidebar";
import { Specification } from "./Specification";

/** All that a plugin's agents know of a person, to be read and changed by that person. */
export function WorkspacePage({ plugin, file }: { plugin: string; file?: string }) {
  return (
    <Page
      title={`Your files for ${plugin}`}
      lead="What its agents know about you and your work. Every change keeps the version before."
    >
      <RoomTabs />
      <div className="grid gap-6 md:grid-cols-[16rem_1fr]">
        <div className="min-w-0 space-y-6">
          <FileSidebar plugin={plugin} open={file} />
          <Card title="Add a specification">
            <p className="mb-3 text-sm text-muted">
              A curriculum or exam specification becomes a file that drafts can quote as evidence.
            </p>
            <Specification plugin={plugin} />
          </Card>
        </div>
        <div className={classes("min-w-0", file && "order-first md:order-none")}>
          {file ? (
            <FileEditor key={file} plugin={plugin} path={file} />
          ) : (
            <Empty title="Choose a file to read or change it." icon={<FolderOpen />}>
              Begin with the one that says how the assistant should be, or with a class.
            </Empty>
          )}
        </div>
      </div>
    </Page>
  );
}
