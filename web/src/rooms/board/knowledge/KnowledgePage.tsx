import { Select } from "@/components/Field";
import { plain } from "@/lib/words";

import { BoardPage } from "../BoardPage";
import { Filters } from "../Filters";
import { TIERS, useBoardSearch } from "../search";
import { Views } from "../Views";
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
        <Views
          label="Tiers"
          views={TIERS.map((key) => ({
            name: TIER[key].name,
            isShown: key === tier,
            to: "/board/knowledge",
            search: { project: search.project, tier: key === "project" ? undefined : key },
          }))}
        />
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
