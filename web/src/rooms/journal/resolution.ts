import type { JournalOutcome, ResolveInput, RootCauseCategory } from "@/api/schema";

export const EMPTY_RESOLUTION = {
  status: "confirmed" as JournalOutcome,
  result: "",
  surprise: "",
  cause: "wrong-assumption" as RootCauseCategory,
  because: "",
  whatWorked: "",
  takeaway: "",
};

/** What the server takes of the form: only what belongs to that outcome. */
export function resolution(draft: typeof EMPTY_RESOLUTION): ResolveInput {
  const { status, result, surprise, cause, because, whatWorked, takeaway } = draft;
  const isWrong = status === "falsified";
  const hasLesson = status !== "abandoned" && whatWorked.trim() !== "";
  return {
    status,
    result,
    surprise: isWrong ? surprise : null,
    root_cause: isWrong ? { category: cause, description: because } : null,
    lesson: hasLesson ? { what_worked: whatWorked, takeaway: takeaway.trim() || null } : null,
  };
}
