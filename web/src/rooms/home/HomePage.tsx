import { Page } from "@/components/Page";

import { Attention } from "./Attention";
import { AtWork } from "./AtWork";
import { ConnectAgent } from "./ConnectAgent";
import { CostToday } from "./CostToday";
import { Feed } from "./Feed";
import { FirstSteps } from "./FirstSteps";
import { ModelCard } from "./ModelCard";

export function HomePage() {
  return (
    <Page title="Home" lead="What needs you, what agents are doing, and what it costs. It updates by itself.">
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="min-w-0 space-y-4">
          <Attention />
          <FirstSteps />
          <AtWork />
          <Feed />
        </div>
        <div className="min-w-0 space-y-4">
          <CostToday />
          <ModelCard />
          <ConnectAgent />
        </div>
      </div>
    </Page>
  );
}
