import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import type { TokenView } from "@/api/schema";
import { tokensQuery } from "@/api/tokens";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { useCommands } from "@/shell/commands";

import { NewTokenDialog } from "./NewTokenDialog";
import { RevokeToken } from "./RevokeToken";
import { Section } from "./Section";

export function TokensSection() {
  const tokens = useQuery(tokensQuery);
  const [isMaking, setMaking] = useState(false);
  useCommands(
    "Settings",
    useMemo(() => [{ name: "Make a token", run: () => setMaking(true) }], []),
  );
  return (
    <Section
      id="tokens"
      title="Users and tokens"
      note={<Button onClick={() => setMaking(true)}>Make a token</Button>}
    >
      <p className="mb-3 text-sm text-muted">
        A token lets an agent or a colleague in from elsewhere, as a user of their own or as you.
      </p>
      <WhenReady query={tokens}>
        {(known) =>
          known.length === 0 ? (
            <Empty title="There are no tokens">
              On this machine none is needed, unless the server was started with BOTTEGA_TOKEN or
              BOTTEGA_PASSCODE.
            </Empty>
          ) : (
            <ul aria-label="Tokens" className="divide-y border-y">
              {known.map((token) => (
                <TokenLine key={token.id} token={token} />
              ))}
            </ul>
          )
        }
      </WhenReady>
      <NewTokenDialog isOpen={isMaking} onClose={() => setMaking(false)} />
    </Section>
  );
}

function TokenLine({ token }: { token: TokenView }) {
  const isRevoked = token.revoked_at !== null;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2 text-sm">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium break-all">{token.name}</span>
          <Badge tone={isRevoked ? "neutral" : "good"}>{isRevoked ? "revoked" : "valid"}</Badge>
          <Badge tone="neutral">{token.role}</Badge>
        </p>
        <p className="text-muted">
          of {token.user_id === "local" ? "the owner" : token.user}, made <Time at={token.created_at} />,{" "}
          {token.last_used_at ? (
            <>
              last used <Time at={token.last_used_at} />
            </>
          ) : (
            "never used"
          )}
        </p>
      </div>
      {!isRevoked && <RevokeToken token={token} />}
    </li>
  );
}
