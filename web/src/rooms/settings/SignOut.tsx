import { useMutation, useQuery } from "@tanstack/react-query";

import { settingsQuery, signOut } from "@/api/house";
import { Button } from "@/components/Button";
import { toastError } from "@/components/Toasts";

/** Only where a passcode let this browser in. */
export function SignOut() {
  const settings = useQuery(settingsQuery);
  const leave = useMutation({ mutationFn: signOut, onError: toastError });
  const hasPasscode = settings.data?.some(({ name, value }) => name === "BOTTEGA_PASSCODE" && value !== null);
  if (!hasPasscode) return null;
  return (
    <Button isBusy={leave.isPending} onClick={() => leave.mutate()}>
      Sign out
    </Button>
  );
}
