import { LinkTabs } from "@/components/LinkTabs";

const TABS = [
  { name: "Start", to: "/assistant" },
  { name: "Search", to: "/assistant/search" },
  { name: "Evals and export", to: "/assistant/evals" },
] as const;

export function RoomTabs() {
  return <LinkTabs label="Assistant" tabs={TABS} />;
}
