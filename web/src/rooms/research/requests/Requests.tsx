import { useQuery } from "@tanstack/react-query";

import { requestsQuery } from "@/api/research";
import { Card } from "@/components/Card";

import { RequestCard } from "./RequestCard";

/** What agents wait for from a person, wherever that person is; nothing if they wait for nothing. */
export function Requests({ session }: { session?: string }) {
  const requests = useQuery(requestsQuery(session)).data ?? [];
  if (requests.length === 0) return null;

  return (
    <Card title="Agents ask you" note="Nothing goes on there until you answer.">
      <ul className="space-y-4">
        {requests.map((request) => (
          <li key={request.id}>
            <RequestCard request={request} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
