import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { boardKey } from "@/api/board";
import { answer, rest } from "@/api/client";
import type { ClarificationView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Problem } from "@/components/States";
import { Time } from "@/components/Time";
import { toast } from "@/components/Toasts";
import { useKept } from "@/lib/kept";

import { agentName } from "../agents";
import { ChangeLink } from "../ChangeLink";
import { ProjectName } from "../ProjectName";

/** What an agent may not decide alone: one of its options, or own words. */
export function QuestionCard({ question }: { question: ClarificationView }) {
  const queries = useQueryClient();
  const [words, setWords] = useKept(`answer ${question.id}`, "");
  const reply = useMutation({
    mutationFn: (said: string) =>
      answer(
        rest.POST("/api/board/clarifications/{clarification_id}/answer", {
          params: { path: { clarification_id: question.id } },
          body: { answer: said },
        }),
      ),
    onSuccess: () => {
      setWords("");
      toast("Answered. The agent goes on.");
      return queries.invalidateQueries({ queryKey: boardKey });
    },
  });
  return (
    <article aria-label={question.question} className="rounded-lg border bg-surface p-4">
      <h3 className="font-medium break-words whitespace-pre-wrap">{question.question}</h3>
      <About question={question} />
      {question.options.length > 0 && (
        <div className="mb-3 flex flex-wrap gap-2">
          {question.options.map((option) => (
            <Button
              key={option}
              className="text-left whitespace-normal"
              disabled={reply.isPending}
              onClick={() => reply.mutate(option)}
            >
              {option}
            </Button>
          ))}
        </div>
      )}
      <form
        className="space-y-2"
        onSubmit={(event) => {
          event.preventDefault();
          reply.mutate(words.trim());
        }}
      >
        <TextArea
          label={question.options.length > 0 ? "Or in your own words" : "Your answer"}
          rows={2}
          maxLength={10_000}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {reply.error && <Problem error={reply.error} />}
        <Button type="submit" kind="primary" isBusy={reply.isPending} disabled={!words.trim()}>
          Answer
        </Button>
      </form>
    </article>
  );
}

function About({ question }: { question: ClarificationView }) {
  return (
    <p className="mb-3 flex flex-wrap items-center gap-x-3 text-sm text-muted">
      {question.blocking ? (
        <Badge tone="warn">the agent waits</Badge>
      ) : (
        <Badge>the agent goes on meanwhile</Badge>
      )}
      {question.project_id && <ProjectName id={question.project_id} />}
      <Link to="/board/sessions/$id" params={{ id: question.session_id }} className="text-accent underline">
        {agentName("agent", question.session_id)}
      </Link>
      {question.change_id && question.project_id && (
        <span>
          about{" "}
          <ChangeLink id={question.change_id} project={question.project_id} className="text-accent underline">
            {question.change_id}
          </ChangeLink>
        </span>
      )}
      <Time at={question.created_at} />
    </p>
  );
}
