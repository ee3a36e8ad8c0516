import type { Tone } from "@/components/Badge";
import type { Axis, Domain, JournalOutcome, JournalTier, RootCauseCategory, Strategy } from "@/api/schema";

export const DOMAINS: Record<Domain, string> = {
  debugging: "Debugging",
  refactoring: "Refactoring",
  feature: "Feature",
  testing: "Testing",
  configuration: "Configuration",
  documentation: "Documentation",
  performance: "Performance",
  security: "Security",
  integration: "Integration",
};

export const STRATEGIES: Record<Strategy, string> = {
  "systematic-elimination": "Rule causes out one by one",
  "trial-and-error": "Try and see",
  "research-first": "Read up on it first",
  "divide-and-conquer": "Split it in halves",
  "root-cause-analysis": "Ask why until it ends",
  "copy-from-similar": "Do as was done elsewhere",
  "check-assumptions": "Check what is taken for granted",
  "read-the-error": "Read the error closely",
  "ask-user": "Ask somebody",
};

export const CAUSES: Record<RootCauseCategory, string> = {
  "wrong-assumption": "A wrong assumption",
  "missing-knowledge": "Something was not known",
  oversight: "Something was overlooked",
  "environment-issue": "The environment",
  "misleading-symptom": "A misleading symptom",
  "incomplete-fix": "An incomplete fix",
  "wrong-scope": "Too wide or too narrow",
  "test-isolation": "Tests that touch each other",
  "timing-issue": "Timing",
};

export const OUTCOMES: Record<JournalOutcome, { word: string; tone: Tone; explained: string }> = {
  confirmed: { word: "came true", tone: "good", explained: "It happened as predicted" },
  falsified: { word: "turned out wrong", tone: "bad", explained: "It happened otherwise" },
  abandoned: { word: "given up", tone: "neutral", explained: "It was never decided" },
};

export const TIERS: Record<JournalTier, string> = {
  gold: "Gold: with a test or build, or with a lesson",
  silver: "Silver: clearly stated",
  bronze: "Bronze: too vague to be tested",
  abandoned: "Given up",
};

export const AXES: Record<Axis, { name: string; about: string }> = {
  full: { name: "Everything", about: "by everything recorded" },
  strategy: { name: "Strategy", about: "by the strategy used" },
  surprise: { name: "Surprise", about: "by what was unexpected, where a prediction was wrong" },
  root_cause: { name: "Root cause", about: "by why a prediction was wrong" },
};

/** For a `Select`. */
export function options<Value extends string>(names: Record<Value, string>): (readonly [Value, string])[] {
  return Object.entries(names) as [Value, string][];
}
