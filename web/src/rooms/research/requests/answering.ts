import { useQueryClient } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import { RESEARCH } from "@/api/research";

import { useSingle } from "@/lib/single";

type Given =
  | { kind: "reply"; text: string }
  | { kind: "plan"; approved: boolean; comment: string }
  | { kind: "credential"; value: string }
  | { kind: "decline" };

/** Answer a request; it then goes from every list of what is asked. */
export function useAnswering(id: string, onAnswered?: () => void) {
  const queries = useQueryClient();
  return useSingle({
    mutationFn: (given: Given) => send(id, given),
    onSuccess: () => {
      onAnswered?.();
      return queries.invalidateQueries({ queryKey: [...RESEARCH, "requests"] });
    },
  });
}

function send(id: string, given: Given) {
  const params = { path: { request_id: id } };
  switch (given.kind) {
    case "reply":
      return answer(
        rest.POST("/api/research/requests/{request_id}/reply", { params, body: { text: given.text } }),
      );
    case "plan": {
      const body = { approved: given.approved, comment: given.comment };
      return answer(rest.POST("/api/research/requests/{request_id}/plan", { params, body }));
    }
    case "credential":
      return answer(
        rest.POST("/api/research/requests/{request_id}/credential", { params, body: { value: given.value } }),
      );
    case "decline":
      return answer(rest.POST("/api/research/requests/{request_id}/decline", { params }));
  }
}
