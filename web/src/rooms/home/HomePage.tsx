import { Page } from "@/components/Page";

export function HomePage() {
  return <Page title="Home">…</Page>;
}
