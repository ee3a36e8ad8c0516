import { word } from "@/lib/search";

/** What the page of research shows, and the question to begin with. */
export type ResearchSearch = {
  q?: string;
  status?: string;
  label?: string;
  archived?: boolean;
  page?: number;
  ask?: string;
  library?: string;
  agent?: string;
};

/** The cited paragraph that is open beside an answer, and the sentence that it was opened from. */
export type RunSearch = { cite?: string; claim?: number };

type Given = Record<string, unknown>;

export function researchSearch(given: Given): ResearchSearch {
  return {
    q: word(given.q),
    status: word(given.status),
    label: word(given.label),
    archived: given.archived === true || undefined,
    page: number(given.page),
    ask: word(given.ask),
    library: word(given.library),
    agent: word(given.agent),
  };
}

export function runSearch(given: Given): RunSearch {
  return { cite: word(given.cite), claim: number(given.claim) };
}

function number(given: unknown): number | undefined {
  return typeof given === "number" && Number.isInteger(given) && given >= 0 ? given : undefined;
}
