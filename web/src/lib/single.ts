import { type UseMutationOptions, useMutation } from "@tanstack/react-query";
import { useRef } from "react";

/** A mutation with a `send` that does nothing while one is under way: a double click is one click. */
export function useSingle<Data, Given = void>(options: UseMutationOptions<Data, Error, Given>) {
  const isUnderWay = useRef(false);
  const mutation = useMutation(options);

  function send(given: Given) {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    const settled = () => {
      isUnderWay.current = false;
    };
    mutation.mutateAsync(given).then(settled, settled);
  }

  return { ...mutation, send };
}
