import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileText } from "lucide-react";

import { documentsQuery } from "@/api/library";
import type { DocumentView, LibraryStatus, RejectionView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { plural } from "@/lib/words";

import { AddDocuments } from "./AddDocuments";
import { shownPath } from "./wording";

export function Documents({ status }: { status: LibraryStatus }) {
  const { name } = status.library;
  const documents = useQuery(documentsQuery(name));
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[1fr_20rem]">
      <div className="min-w-0 space-y-4">
        <Card title="Documents" note={documents.data && plural(documents.data.documents.length, "document")}>
          <WhenReady query={documents}>
            {({ documents }) =>
              documents.length ? (
                <ul className="divide-y">
                  {documents.map((document) => (
                    <DocumentRow key={document.id} library={name} {...document} />
                  ))}
                </ul>
              ) : (
                <Empty title="No document yet" icon={<FileText className="size-6" />}>
                  Drop files into the box, choose them, or name a folder of this machine.
                </Empty>
              )
            }
          </WhenReady>
        </Card>
        {status.rejections.length > 0 && <Rejections rejections={status.rejections} />}
      </div>
      <AddDocuments library={status.library} />
    </div>
  );
}

function DocumentRow(document: DocumentView & { library: string }) {
  const { library, path, title, kind, prefix, paragraph_count, problems, ingested_at } = document;
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
        <h3 className="min-w-0 font-medium break-words">
          {prefix && <span className="text-muted">{prefix} · </span>}
          {title}
        </h3>
        <Badge tone={kind === "standard" ? "accent" : "info"}>{kind}</Badge>
      </div>
      <p className="text-sm break-all text-muted">
        {shownPath(path)} · {plural(paragraph_count, "paragraph")} · read <Time at={ingested_at} /> ·{" "}
        <Link
          to="/libraries/$name"
          params={{ name: library }}
          search={{ tab: "search", document: path }}
          className="text-accent underline underline-offset-2"
        >
          search in it
        </Link>
      </p>
      {problems.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="text-warn">{plural(problems.length, "oddity", "oddities")}</summary>
          <ul className="list-disc pl-5 text-muted">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function Rejections({ rejections }: { rejections: readonly RejectionView[] }) {
  return (
    <Card title="Could not be read" note="The rest went in. Put the file right and add it again.">
      <ul className="divide-y text-sm">
        {rejections.map(({ path, reason, rejected_at }) => (
          <li key={path} className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1 py-2">
            <span className="min-w-0 break-words">{shownPath(reason)}</span>
            <span className="text-muted">
              <Time at={rejected_at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
