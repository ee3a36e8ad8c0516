import { useQuery } from "@tanstack/react-query";

import type { SourceDetail } from "@/api/schema";
import { sourceQuery } from "@/api/sources";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { CopyLine } from "@/components/CopyLine";
import { Page } from "@/components/Page";
import { Notice, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { plain } from "@/lib/words";
import { Fields } from "@/rooms/agents/Fields";
import { OriginBadge } from "@/rooms/agents/OriginBadge";
import { Problems } from "@/rooms/agents/Problems";
import { MarkdownSection } from "@/rooms/agents/MarkdownSection";

import { Credentials } from "./Credentials";
import { EnableSource } from "./EnableSource";
import { HealthTest } from "./HealthTest";
import { state } from "./health";
import { SignIn } from "./SignIn";
import { Tools } from "./Tools";
import { WhatRuns } from "./WhatRuns";

export function SourcePage({ slug }: { slug: string }) {
  const source = useQuery(sourceQuery(slug));
  const isUsable = source.data && !source.data.problems?.length;
  return (
    <Page
      title={source.data?.name ?? slug}
      lead={source.data?.description}
      actions={source.data && isUsable && <EnableSource source={source.data} />}
    >
      <WhenReady query={source} lines={8}>
        {(source) => (
          <div className="space-y-4">
            <Problems problems={source.problems ?? []} what={slug} />
            {source.trusted === false && (
              <Notice tone="warn">
                It came with the project, and nothing of it has run yet. Look at what would run, and enable it
                if you trust it. If its file changes, you are asked again.
              </Notice>
            )}
            <Card title="About">
              <About source={source} />
            </Card>
            {isUsable && <Usable source={source} />}
          </div>
        )}
      </WhenReady>
    </Page>
  );
}

function About({ source }: { source: SourceDetail }) {
  const { tone, word } = state(source);
  const { origin, type, auth, file, last_error, checked_at, problems = [] } = source;
  return (
    <Fields
      fields={[
        [
          "State",
          <Badge key="state" tone={tone}>
            {word}
          </Badge>,
        ],
        ["Last looked at", checked_at ? <Time at={checked_at} /> : null],
        ["Last error", problems.length ? null : last_error],
        ["Where from", <OriginBadge key="origin" origin={origin} />],
        [
          "Reached by",
          type === "stdio" ? "a program that Bottega starts (stdio)" : type && "an address (http)",
        ],
        ["Signs in by", auth && auth !== "none" ? plain(auth) : null],
        ["Defined in", <CopyLine key="file" text={file} />],
      ]}
    />
  );
}

function Usable({ source }: { source: SourceDetail }) {
  const { slug, trusted = true, auth, guide, credentials = [] } = source;
  return (
    <>
      <Card title={source.type === "stdio" ? "What runs" : "What is asked"}>
        <WhatRuns source={source} />
      </Card>
      {credentials.length > 0 && <Credentials source={source} />}
      {auth === "oauth" && <SignIn source={source} />}
      <HealthTest slug={slug} isTrusted={trusted} />
      <Tools source={source} />
      {guide && (
        <Card title="How to use it">
          <MarkdownSection text={guide} />
        </Card>
      )}
    </>
  );
}
