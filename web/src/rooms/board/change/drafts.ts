import { useState } from "react";

import type { ChangeView } from "@/api/schema";

/** A text that the server has not taken yet, and the hash of the one it was made from. */
export type Draft = { base: string | null; text: string };

function keyOf(change: ChangeView, file: string): string {
  return `bottega.draft:${change.project_id}/${change.id}/${file}`;
}

function read(key: string): Draft | null {
  const kept = localStorage.getItem(key);
  return kept === null ? null : (JSON.parse(kept) as Draft);
}

/** One file's draft. It is in this browser with every letter, so that a reload loses none. */
export function useDraft(change: ChangeView, file: string) {
  const key = keyOf(change, file);
  const [draft, setDraft] = useState(() => read(key));

  function keep(next: Draft) {
    localStorage.setItem(key, JSON.stringify(next));
    setDraft(next);
  }

  function drop() {
    localStorage.removeItem(key);
    setDraft(null);
  }

  return {
    draft,
    /** Not kept yet: nothing is written. */
    begin: (text: string) => setDraft({ base: change.hashes[file] ?? null, text }),
    write: (text: string) => keep({ base: draft?.base ?? null, text }),
    drop,
    /** The server has it. What was written meanwhile stays a draft, made from what it has. */
    saved(sent: string, hash: string | null) {
      const now = read(key);
      if (now && now.text !== sent) keep({ base: hash, text: now.text });
      else drop();
    },
  };
}
