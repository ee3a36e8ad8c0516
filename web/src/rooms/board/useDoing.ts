import { useMutation, useQueryClient } from "@tanstack/react-query";

import { boardKey } from "@/api/board";
import { toast, toastError } from "@/components/Toasts";

type Messages<T> = { done?: (answer: T) => string; undo?: (answer: T) => () => void };

/** Something done to the board: its lists are asked for again, it is said, and a refusal is shown. */
export function useDoing<I, T>(act: (input: I) => Promise<T>, { done, undo }: Messages<T> = {}) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: I) => act(input),
    onSuccess: (answer) => {
      if (done) toast(done(answer), undo?.(answer));
    },
    onError: toastError,
    // After a refusal too: the page may have shown what is not so any more.
    onSettled: () => queries.invalidateQueries({ queryKey: boardKey }),
  });
}
