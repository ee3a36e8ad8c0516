import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { kataQuery, LEARNING } from "@/api/learning";
import { useMessage } from "@/api/socket";
import { Page } from "@/components/Page";
import { WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

import { KataDesk } from "./KataDesk";

export function KataPage({ id }: { id: string }) {
  const queries = useQueryClient();
  const kata = useQuery(kataQuery(id));
  // Handed in from another window too.
  useMessage("review:response", ({ kataId }) => {
    if (kataId === id) void queries.invalidateQueries({ queryKey: LEARNING });
  });

  return (
    <Page
      title={kata.data?.kata.title ?? "Kata"}
      lead={kata.data && about(kata.data.kata)}
      actions={
        <Link to="/coach/practice" className="text-sm text-accent underline">
          All katas
        </Link>
      }
    >
      <WhenReady query={kata} lines={10}>
        {(loaded) => <KataDesk key={id} loaded={loaded} />}
      </WhenReady>
    </Page>
  );
}

function about({
  topic,
  attempts,
  bestLevel,
}: {
  topic: string;
  attempts: unknown[];
  bestLevel: number | null;
}) {
  const tried = attempts.length > 0 ? `tried ${plural(attempts.length, "time")}` : "not tried yet";
  return `${topic} · ${tried}${bestLevel === null ? "" : ` · best level ${bestLevel} of 10`}`;
}
