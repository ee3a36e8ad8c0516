import { useState } from "react";

import { Button } from "@/components/Button";
import { Choices } from "@/components/Choices";
import { TextField } from "@/components/Field";

import { useMemorySearch } from "./useMemorySearch";

const WAYS = [
  ["words", "By words"],
  ["meaning", "By meaning"],
] as const;

export function SearchForm() {
  const { search, change } = useMemorySearch();
  const [text, setText] = useState(search.q ?? "");
  const way = search.by ?? "words";
  return (
    <search>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          change({ q: text.trim() || undefined });
        }}
      >
        <TextField
          type="search"
          label={way === "words" ? "Words that it contains" : "What it is about, in your own words"}
          placeholder={way === "words" ? "deploy" : "when do we deploy?"}
          className="min-w-0 grow basis-64"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Choices
          label="How to search"
          value={way}
          options={WAYS}
          onChange={(chosen) =>
            change({ by: chosen === "meaning" ? "meaning" : undefined, q: text.trim() || undefined })
          }
        />
        <Button type="submit">Search</Button>
      </form>
    </search>
  );
}
