import { useQuery } from "@tanstack/react-query";

import { healthQuery, settingsQuery } from "@/api/house";
import type { Health } from "@/api/schema";
import { WhenReady } from "@/components/States";
import { count, duration } from "@/lib/words";

import { Facts } from "./Facts";
import { Section } from "./Section";

export function HouseFacts() {
  const health = useQuery(healthQuery);
  const settings = useQuery(settingsQuery);
  const dataDir = settings.data?.find(({ name }) => name === "DATA_DIR")?.value;
  return (
    <Section id="house" title="Server">
      <WhenReady query={health} lines={5}>
        {(house) => <Facts facts={factsOf(house, dataDir)} />}
      </WhenReady>
    </Section>
  );
}

function factsOf(house: Health, dataDir: unknown): [string, string][] {
  const { vectors } = house;
  const facts: [string, string | null | undefined][] = [
    ["Version", house.version],
    ["Up for", duration(house.uptime * 1_000)],
    ["Project", house.project],
    ["Data in", typeof dataDir === "string" ? dataDir : null],
    ["Database", house.database?.kind],
    [
      "Vectors",
      vectors &&
        `${vectors.kind}, ${vectors.available ? "at work" : "not available"}, made by ${vectors.embedder}`,
    ],
    ["Rooms", house.rooms?.join(", ")],
    ["Open windows", house.connections == null ? null : count(house.connections)],
  ];
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
}
