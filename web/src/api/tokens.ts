import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type { NewToken } from "./schema";

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: () => answer(rest.GET("/api/tokens")),
});

export function issueToken(wanted: NewToken) {
  return answer(rest.POST("/api/tokens", { body: wanted }));
}

export function revokeToken(token: string) {
  return answer(rest.DELETE("/api/tokens/{token}", { params: { path: { token } } }));
}
