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
    q: text(given.q),
    status: text(given.status),
    label: text(given.label),
    archived: given.archived === true || undefined,
    page: number(given.page),
    ask: text(given.ask),
    library: text(given.library),
    agent: text(given.agent),
  };
}

export function runSearch(given: Given): RunSearch {
  return { cite: text(given.cite), claim: number(given.claim) };
}

// What stands in an address may be anything: only what fits is taken.

function text(given: unknown): string | undefined {
  // A reference such as 100.13 reads as a number there.
  return typeof given === "string" || typeof given === "number" ? String(given) || undefined : undefined;
}

function number(given: unknown): number | undefined {
  return typeof given === "number" && Number.isInteger(given) && given >= 0 ? given : undefined;
}
