import { useQuery } from "@tanstack/react-query";

import { membersQuery } from "@/api/journal";
import { Card } from "@/components/Card";
import { WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

import { Experience } from "./Experience";
import { ValueForm } from "./ValueForm";

/** What a cluster holds, the most typical first, and a value to make of it. */
export function ClusterMembers({ clusterId }: { clusterId: string }) {
  const members = useQuery(membersQuery(clusterId));
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card
        title="Experiences in it"
        note={members.data && `${plural(members.data.count, "experience")}, the most typical first`}
      >
        <WhenReady query={members}>
          {({ members: found }) => (
            <ul className="max-h-[32rem] divide-y overflow-y-auto" tabIndex={0} aria-label="Experiences">
              {found.map((experience) => (
                <li key={experience.id} className="py-3 first:pt-0">
                  <Experience experience={experience} />
                </li>
              ))}
            </ul>
          )}
        </WhenReady>
      </Card>
      <Card title="Form a value">
        {members.data && <ValueForm clusterId={clusterId} axis={members.data.axis} />}
      </Card>
    </div>
  );
}
