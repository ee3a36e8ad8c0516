import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";

import { neighboursQuery, type Walk } from "@/api/library";
import type { Hop } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Empty, Notice, WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

import { GraphPicture } from "./GraphPicture";
import { pathInWords } from "./graph";
import { Slider } from "./Slider";

type Props = { name: string; reference: string; walk: Walk };

/** Where a paragraph leads: along citations, the numbering and nearness in meaning. */
export function Neighbourhood({ name, reference, walk }: Props) {
  const hops = useQuery(neighboursQuery(name, reference, walk));
  const navigate = useNavigate();
  const open = (ref: string, changed: Partial<Walk> = {}) =>
    void navigate({
      to: "/libraries/$name/paragraphs/$ref",
      params: { name, ref },
      search: { ...walk, ...changed },
      replace: ref === reference,
      resetScroll: ref !== reference,
    });

  return (
    <Card title="Linked paragraphs">
      <div className="mb-4 grid gap-4 sm:grid-cols-2">
        <Slider
          label="Hops"
          shown={plural(walk.hops, "hop")}
          value={walk.hops}
          min={1}
          max={4}
          step={1}
          onChange={(chosen) => open(reference, { hops: chosen })}
        />
        <Slider
          label="Score kept after each hop"
          shown={walk.decay.toFixed(1)}
          value={walk.decay}
          min={0.1}
          max={1}
          step={0.1}
          onChange={(chosen) => open(reference, { decay: chosen })}
        />
      </div>
      <WhenReady query={hops} lines={6}>
        {(found) =>
          found.hops.length ? (
            <>
              {!found.linked && (
                <Notice>Nearness in meaning is still being worked out for this library.</Notice>
              )}
              <GraphPicture hops={found} onOpen={open} />
              <ol aria-label="Linked paragraphs, nearest first" className="mt-4 divide-y border-t">
                {found.hops.map((hop) => (
                  <Reached key={hop.paragraph.id} name={name} walk={walk} {...hop} />
                ))}
              </ol>
              {found.cut && <p className="mt-2 text-sm text-muted">There is more; these are the nearest.</p>}
            </>
          ) : (
            <Empty title="No links">Nothing cites it, and nothing is near to it.</Empty>
          )
        }
      </WhenReady>
    </Card>
  );
}

function Reached({ name, walk, paragraph, score, hops, path }: Hop & { name: string; walk: Walk }) {
  return (
    <li className="py-2">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <Link
          to="/libraries/$name/paragraphs/$ref"
          params={{ name, ref: paragraph.ref }}
          search={walk}
          className="font-medium text-accent underline-offset-2 hover:underline"
        >
          {paragraph.ref}
        </Link>
        <span className="text-sm text-muted">{pathInWords(path)}</span>
        <span className="ml-auto flex gap-1.5">
          <Badge>{plural(hops, "hop")}</Badge>
          <Badge>score {score.toFixed(2)}</Badge>
        </span>
      </div>
      <p className="line-clamp-2 text-sm text-muted">{paragraph.text}</p>
    </li>
  );
}
