import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: () => answer(rest.GET("/health")),
  refetchInterval: 15_000,
});
