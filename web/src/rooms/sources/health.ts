import type { SourceView } from "@/api/schema";
import type { Tone } from "@/components/Badge";

/** How a source does, in a word. */
export function state(source: SourceView): { tone: Tone; word: string } {
  const { problems = [], trusted = true, enabled = false, health = "unknown" } = source;
  if (problems.length) return { tone: "bad", word: "broken file" };
  if (!trusted) return { tone: "warn", word: "not trusted yet" };
  if (health === "needs_auth") {
    return { tone: "warn", word: source.signed_in === false ? "needs a sign-in" : "needs a credential" };
  }
  if (health === "failing") return { tone: "bad", word: "failing" };
  if (!enabled) return { tone: "neutral", word: "off" };
  return health === "ok" ? { tone: "good", word: "works" } : { tone: "info", word: "on, not tried yet" };
}
