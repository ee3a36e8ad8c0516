import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import type { IssuedToken, TokenRole } from "@/api/schema";
import { issueToken, tokensQuery } from "@/api/tokens";
import { Button } from "@/components/Button";
import { CopyLine } from "@/components/CopyLine";
import { Dialog } from "@/components/Dialog";
import { Select, TextField } from "@/components/Field";
import { Notice, Problem } from "@/components/States";

type Props = { isOpen: boolean; onClose: () => void };

const ROLES: readonly (readonly [TokenRole, string])[] = [
  ["member", "Member: works, decides and edits"],
  ["agent", "Agent: works, and leaves decisions to people"],
  ["reader", "Reader: looks"],
  ["owner", "Owner: also runs the house"],
];

/** Names a token, then shows its secret: this once. */
export function NewTokenDialog({ isOpen, onClose }: Props) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [user, setUser] = useState("");
  const [role, setRole] = useState<TokenRole>("member");
  const issue = useMutation({
    mutationFn: issueToken,
    onSuccess: () => queries.invalidateQueries(tokensQuery),
  });

  function close() {
    onClose();
    if (!issue.data) return; // what was written stays for the next time
    issue.reset();
    setName("");
    setUser("");
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    issue.mutate({ name: name.trim(), user: user.trim() || undefined, role });
  }

  return (
    <Dialog title={issue.data ? "Your new token" : "Make a token"} isOpen={isOpen} onClose={close}>
      {issue.data ? (
        <Issued token={issue.data} onDone={close} />
      ) : (
        <form onSubmit={submit} className="space-y-3">
          <TextField
            label="Name"
            hint="What you will know it by: laptop, ci, a colleague."
            value={name}
            maxLength={100}
            required
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label="User (optional)"
            hint="Whose it is. A new name makes a new user, with work of their own; without one it is yours."
            value={user}
            maxLength={100}
            onChange={(event) => setUser(event.target.value)}
          />
          <Select
            label="Role"
            options={ROLES}
            value={role}
            onChange={(event) => setRole(event.target.value as TokenRole)}
          />
          {issue.error && <Problem error={issue.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" type="submit" isBusy={issue.isPending} disabled={name.trim() === ""}>
              Make it
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function Issued({ token, onDone }: { token: IssuedToken; onDone: () => void }) {
  return (
    <div className="space-y-3">
      <Notice tone="warn">Copy it now: it is shown this once and kept nowhere.</Notice>
      <CopyLine text={token.secret} />
      <p className="text-sm text-muted">To connect an agent with it:</p>
      <CopyLine
        text={`claude mcp add --transport http bottega ${location.origin}/mcp --header "Authorization: Bearer ${token.secret}"`}
      />
      <div className="flex justify-end">
        <Button kind="primary" onClick={onDone}>
          I have it
        </Button>
      </div>
    </div>
  );
}
