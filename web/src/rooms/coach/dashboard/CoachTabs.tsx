import { LinkTabs } from "@/components/LinkTabs";

const TABS = [
  { name: "Desk", to: "/coach" },
  { name: "Dashboard", to: "/coach/dashboard" },
  { name: "Practice", to: "/coach/practice" },
  { name: "Sessions", to: "/coach/sessions" },
] as const;

export function CoachTabs() {
  return <LinkTabs label="Coach" tabs={TABS} />;
}
