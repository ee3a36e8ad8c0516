import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";

export const signInsQuery = queryOptions({
  queryKey: ["sign-ins"],
  queryFn: () => answer(rest.GET("/api/sign-ins")),
});

export function endSignIn(id: string) {
  return answer(rest.DELETE("/api/sign-ins/{sign_in_id}", { params: { path: { sign_in_id: id } } }));
}
