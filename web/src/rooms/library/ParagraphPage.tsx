import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { paragraphQuery, type Walk } from "@/api/library";
import type { ParagraphContext, TermView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { buttonClass } from "@/components/Button";
import { Card } from "@/components/Card";
import { CopyLine } from "@/components/CopyLine";
import { Page } from "@/components/Page";
import { WhenReady } from "@/components/States";

import { InPlace } from "./InPlace";
import { Neighbourhood } from "./Neighbourhood";
import { shownPath } from "./wording";

export const USUAL_WALK: Walk = { hops: 1, decay: 0.7 };

export function ParagraphPage({ name, reference, walk }: { name: string; reference: string; walk: Walk }) {
  const context = useQuery(paragraphQuery(name, reference));
  return (
    <Page
      title={reference}
      lead={context.data && <Whereabouts library={name} {...context.data} />}
      actions={
        <Link to="/libraries/$name" params={{ name }} className={buttonClass()}>
          Back to {name}
        </Link>
      }
    >
      <WhenReady query={context} lines={6}>
        {(context) => (
          <div className="grid items-start gap-4 lg:grid-cols-[1fr_20rem]">
            <div className="min-w-0 space-y-4">
              <Card title="In context">
                <InPlace library={name} {...context} />
              </Card>
              <Neighbourhood name={name} reference={context.paragraph.ref} walk={walk} />
            </div>
            <aside aria-label="About this paragraph" className="min-w-0 space-y-4">
              <Whence {...context} />
              <Terms title="Defined here" library={name} terms={context.defines} />
              <Terms title="Defined elsewhere" library={name} terms={context.uses} />
            </aside>
          </div>
        )}
      </WhenReady>
    </Page>
  );
}

function Whereabouts({ library, paragraph }: ParagraphContext & { library: string }) {
  const { document, headings, path, kind } = paragraph;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Link
        to="/libraries/$name"
        params={{ name: library }}
        search={{ tab: "search", document: path }}
        className="underline underline-offset-2"
      >
        {document}
      </Link>
      {headings.map((heading) => (
        <span key={heading}>› {heading}</span>
      ))}
      <Badge tone={kind === "standard" ? "accent" : "info"}>{kind}</Badge>
    </span>
  );
}

function Whence({ paragraph: { path, start }, file }: ParagraphContext) {
  const line = start?.match(/^line (\d+)$/)?.[1];
  return (
    <Card title="Location">
      <p className="text-sm break-all">
        {shownPath(path)}
        {start && <span className="text-muted">, {start}</span>}
      </p>
      {file ? (
        <div className="mt-2 space-y-1">
          <CopyLine text={line ? `${file}:${line}` : file} />
          <p className="text-sm text-muted">Paste it into your editor's “Go to file”.</p>
        </div>
      ) : (
        <p className="text-sm text-muted">It was uploaded: Bottega has kept what it says, not the file.</p>
      )}
    </Card>
  );
}

type TermsProps = { title: string; library: string; terms: readonly TermView[] };

function Terms({ title, library, terms }: TermsProps) {
  if (!terms.length) return null;
  return (
    <Card title={title}>
      <dl className="space-y-3 text-sm">
        {terms.map(({ term, definition, ref }) => (
          <div key={`${term} ${ref}`}>
            <dt className="font-medium">
              {term}{" "}
              <Link
                to="/libraries/$name/paragraphs/$ref"
                params={{ name: library, ref }}
                className="font-normal text-accent underline underline-offset-2"
              >
                {ref}
              </Link>
            </dt>
            <dd className="text-muted">{definition}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
