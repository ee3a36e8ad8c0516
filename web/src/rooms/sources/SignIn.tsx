import type { SourceDetail } from "@/api/schema";
import { signIn, signOut } from "@/api/sources";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { toast } from "@/components/Toasts";

import { useSourceAction } from "./useSourceAction";

/** By the other side's own page, in this window; it sends people back. */
export function SignIn({ source: { slug, name, signed_in, trusted = true } }: { source: SourceDetail }) {
  const starting = useSourceAction(
    () => signIn(slug),
    ({ authorization_url }) => location.assign(authorization_url),
  );
  const leaving = useSourceAction(
    () => signOut(slug),
    () => toast(`You are signed out of ${name}.`),
  );
  return (
    <Card title="Sign-in">
      <div className="flex flex-wrap items-center gap-3 text-sm">
        {signed_in ? (
          <>
            <p>You are signed in.</p>
            <Button isBusy={leaving.isPending} onClick={() => leaving.mutate(undefined)}>
              Sign out
            </Button>
          </>
        ) : (
          <>
            <p className="text-muted">
              {trusted ? `The page of ${name} opens, and sends you back here.` : "Enable it first."}
            </p>
            <Button
              kind="primary"
              disabled={!trusted}
              isBusy={starting.isPending}
              onClick={() => starting.mutate(undefined)}
            >
              Sign in
            </Button>
          </>
        )}
      </div>
    </Card>
  );
}
