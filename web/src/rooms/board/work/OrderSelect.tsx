import { Select } from "@/components/Field";

import { type BoardSearch, useBoardSearch } from "../search";

export function OrderSelect() {
  const [search, change] = useBoardSearch();
  return (
    <Select
      label="Order"
      value={search.order ?? ""}
      options={[
        ["", "Newest activity first"],
        ["priority", "Most urgent first"],
      ]}
      onChange={(event) => change({ order: (event.target.value || undefined) as BoardSearch["order"] })}
    />
  );
}
