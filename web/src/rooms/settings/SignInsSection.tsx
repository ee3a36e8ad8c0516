import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type { SignInView } from "@/api/schema";
import { endSignIn, signInsQuery } from "@/api/signIns";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { toast, toastError } from "@/components/Toasts";

import { Section } from "./Section";

export function SignInsSection() {
  const signIns = useQuery(signInsQuery);
  return (
    <Section id="sign-ins" title="Signed-in browsers">
      <WhenReady query={signIns}>
        {(known) =>
          known.length === 0 ? (
            <Empty title="Nobody is signed in">
              Browsers sign in where the server has a BOTTEGA_PASSCODE.
            </Empty>
          ) : (
            <ul aria-label="Signed-in browsers" className="divide-y border-y">
              {known.map((signIn) => (
                <SignInLine key={signIn.id} signIn={signIn} />
              ))}
            </ul>
          )
        }
      </WhenReady>
    </Section>
  );
}

function SignInLine({ signIn }: { signIn: SignInView }) {
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => endSignIn(signIn.id),
    onSuccess: () => toast("It is signed out."),
    onError: toastError,
    onSettled: () => queries.invalidateQueries(signInsQuery),
  });
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2 text-sm">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium break-all">{signIn.agent || "An unnamed browser"}</span>
          {signIn.is_current && <Badge tone="info">this one</Badge>}
          {!signIn.is_live && <Badge tone="neutral">signed out</Badge>}
        </p>
        <p className="text-muted">
          from {signIn.address}, since <Time at={signIn.created_at} />, last seen <Time at={signIn.seen_at} />
        </p>
      </div>
      {signIn.is_live && !signIn.is_current && (
        <Button kind="danger" isBusy={end.isPending} onClick={() => end.mutate()}>
          Sign it out
        </Button>
      )}
    </li>
  );
}
