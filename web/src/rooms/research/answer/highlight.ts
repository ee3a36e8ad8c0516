export type Piece = { text: string; isQuoted: boolean };

/** Words that say nothing about which sentence is meant. */
const SHORT = 3;
/** The share of a claim's words that a sentence must have to be what it rests on. */
const ENOUGH = 0.5;

/**
 * A paragraph with what a claim rests on marked: the claim itself where it is quoted word for word,
 * or else the sentences that share most of its words.
 */
export function highlighted(paragraph: string, claim: string): Piece[] {
  const start = paragraph.indexOf(claim.trim());
  if (claim.trim() && start >= 0) {
    const end = start + claim.trim().length;
    return pieces([
      [paragraph.slice(0, start), false],
      [paragraph.slice(start, end), true],
      [paragraph.slice(end), false],
    ]);
  }
  const wanted = wordsOf(claim);
  const sentences = paragraph.match(/[^.!?]+[.!?]*(?:\s+|$)/g) ?? [paragraph];
  return pieces(sentences.map((sentence) => [sentence, isShared(wanted, wordsOf(sentence))]));
}

function isShared(wanted: ReadonlySet<string>, found: ReadonlySet<string>): boolean {
  const smaller = Math.min(wanted.size, found.size);
  return smaller > 0 && [...wanted].filter((word) => found.has(word)).length / smaller >= ENOUGH;
}

function wordsOf(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > SHORT));
}

function pieces(parts: readonly (readonly [string, boolean])[]): Piece[] {
  return parts.filter(([text]) => text !== "").map(([text, isQuoted]) => ({ text, isQuoted }));
}
