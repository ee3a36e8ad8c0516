import { Page } from "@/components/Page";

import { AssistantFiles } from "./AssistantFiles";
import { HouseFacts } from "./HouseFacts";
import { ModelSection } from "./ModelSection";
import { SettingsTable } from "./SettingsTable";
import { SignInsSection } from "./SignInsSection";
import { SignOut } from "./SignOut";
import { SourcesSection } from "./SourcesSection";
import { ThemeSection } from "./ThemeSection";
import { TokensSection } from "./TokensSection";
import { TrustSection } from "./TrustSection";

const SECTIONS = [
  ["model", "Model"],
  ["theme", "Theme"],
  ["trust", "Project trust"],
  ["tokens", "Users and tokens"],
  ["sign-ins", "Browsers"],
  ["sources", "Sources"],
  ["assistant", "Assistant"],
  ["house", "Server"],
] as const;

export function SettingsPage() {
  return (
    <Page
      title="Settings"
      lead="What the server was started with is changed by starting it again; the rest right here."
      actions={<SignOut />}
    >
      <div className="gap-8 lg:flex">
        <nav
          aria-label="Sections"
          className="mb-4 flex shrink-0 flex-wrap gap-1 lg:sticky lg:top-6 lg:w-44 lg:flex-col lg:self-start"
        >
          {SECTIONS.map(([id, name]) => (
            <a
              key={id}
              href={`#${id}`}
              className="rounded-md px-2.5 py-1.5 text-sm text-muted hover:bg-sunken hover:text-ink"
            >
              {name}
            </a>
          ))}
        </nav>
        <div className="min-w-0 grow space-y-4">
          <ModelSection />
          <ThemeSection />
          <TrustSection />
          <TokensSection />
          <SignInsSection />
          <SourcesSection />
          <AssistantFiles />
          <HouseFacts />
          <SettingsTable />
        </div>
      </div>
    </Page>
  );
}
