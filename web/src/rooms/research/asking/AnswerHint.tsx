import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { answerableQuery } from "@/api/library";
import { classes } from "@/lib/classes";

const PAUSE = 700;
const SHORTEST = 12;

/** Whether the library is likely to hold an answer, once somebody stops typing. */
export function AnswerHint({ library, question }: { library: string; question: string }) {
  const settled = useSettled(question.trim().slice(0, 500));
  const isWorthAsking = settled.length >= SHORTEST && library !== "";
  const hint = useQuery({ ...answerableQuery(library, settled), enabled: isWorthAsking }).data;
  if (!isWorthAsking || !hint) return null;

  return (
    <p role="status" className={classes("text-sm", hint.answerable ? "text-good" : "text-warn")}>
      {hint.answerable
        ? `The library looks as if it can answer this${hint.best ? `, from ${hint.best} for one` : ""}.`
        : `The library may not hold an answer. ${hint.reasons.join(" ")} You can ask all the same: none is made up.`}
    </p>
  );
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
