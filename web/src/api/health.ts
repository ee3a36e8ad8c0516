import { queryOptions } from "@tanstack/react-query";

export type Health = {
  status: string;
  uptime: number;
  version?: string;
  database?: { kind: string };
  vectors?: { kind: string; available: boolean };
  model?: { provider: string; offline: boolean; fast: string; strong: string; reason: string };
  rooms?: string[];
};

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async (): Promise<Health> => {
    const response = await fetch("/health");
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return response.json();
  },
  refetchInterval: 5_000,
});
