import type { EdgeKind, Kind } from "@/api/schema";

export const KIND_CHOICES = [
  ["", "As each document says"],
  ["standard", "Standards: what holds"],
  ["guide", "Guides: what explains"],
] as const;

export function chosenKind(value: string): Kind | undefined {
  return value === "standard" || value === "guide" ? value : undefined;
}

/** Uploads have only a name; what the server puts before it tells them from a folder's files. */
export function shownPath(path: string): string {
  return path.replace(/^upload:/, "");
}

const REASONS: Record<string, string> = {
  empty: "empty",
  too_large: "too large",
  unknown_type: "unknown type",
  not_text: "not text",
  encrypted: "encrypted",
  no_text: "only pictures",
  bomb: "unpacks too large",
  malformed: "damaged",
};

export function reasonWord(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll("_", " ");
}

/** What found a hit: `keyword`, `vector`, `reference`, `term:dangerous goods`. */
export function foundBy(path: string): { word: string; about: string } {
  if (path.startsWith("term:")) {
    const term = path.slice("term:".length);
    return { word: `term “${term}”`, about: `The question means “${term}”, which the library defines.` };
  }
  if (path === "keyword") return { word: "words", about: "It has words of the question." };
  if (path === "vector") return { word: "meaning", about: "It is near to the question in meaning." };
  if (path === "reference") return { word: "reference", about: "The question names this paragraph." };
  return { word: path, about: path };
}

export const EDGES: Record<
  EdgeKind,
  { name: string; forwards: string; backwards: string; colour: string; dash: "solid" | "dashed" | "dotted" }
> = {
  cites: {
    name: "Cites",
    forwards: "cites",
    backwards: "is cited by",
    colour: "--accent",
    dash: "solid",
  },
  maps_to: {
    name: "Explains",
    forwards: "explains",
    backwards: "is explained by",
    colour: "--good",
    dash: "dashed",
  },
  belongs_to: {
    name: "Part of",
    forwards: "is part of",
    backwards: "contains",
    colour: "--muted",
    dash: "solid",
  },
  hop: {
    name: "Near in meaning",
    forwards: "is near to",
    backwards: "is near to",
    colour: "--info",
    dash: "dotted",
  },
};
