import { Link } from "@tanstack/react-router";

import { Select } from "@/components/Field";
import { classes } from "@/lib/classes";
import { plain } from "@/lib/words";

import { BoardPage } from "../BoardPage";
import { Filters } from "../Filters";
import { TIERS, useBoardSearch } from "../search";
import { KnowledgeList } from "./KnowledgeList";
import { RecordKnowledge } from "./RecordKnowledge";
import { TIER } from "./tiers";

/** What agents learned and are told again, in three tiers. */
export function KnowledgePage() {
  const [search, change] = useBoardSearch();
  const tier = search.tier ?? "project";
  return (
    <BoardPage title="Knowledge">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-3">
        <nav aria-label="Tiers" className="flex flex-wrap gap-1">
          {TIERS.map((name) => (
            <Link
              key={name}
              to="/board/knowledge"
              search={{ project: search.project, tier: name === "project" ? undefined : name }}
              activeProps={{ "aria-current": undefined }}
              aria-current={name === tier ? "page" : undefined}
              className={classes(
                "rounded-md px-2.5 py-1 text-sm",
                name === tier
                  ? "bg-accent-soft font-medium text-accent"
                  : "text-muted hover:bg-sunken hover:text-ink",
              )}
            >
              {TIER[name].name}
            </Link>
          ))}
        </nav>
        {tier !== "task" && <RecordKnowledge tier={tier} />}
      </div>
      <p className="mb-3 text-sm text-muted">{TIER[tier].about}</p>
      <Filters names={["search", "category", "project"]} hasWords>
        <Select
          label="Category"
          value={search.category ?? ""}
          options={[
            ["", "Every category"],
            ...TIER[tier].categories.map((name) => [name, plain(name)] as const),
          ]}
          onChange={(event) => change({ category: event.target.value || undefined })}
        />
      </Filters>
      <KnowledgeList tier={tier} />
    </BoardPage>
  );
}
