import { useState } from "react";

import type { SourceDetail } from "@/api/schema";
import { forgetCredential, keepCredential } from "@/api/sources";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Confirm } from "@/components/Dialog";
import { TextField } from "@/components/Field";
import { toast } from "@/components/Toasts";

import { useSourceAction } from "./useSourceAction";

export function Credentials({ source }: { source: SourceDetail }) {
  return (
    <Card title="Credentials" note="Kept encrypted on this machine, and never shown again.">
      <ul className="space-y-5">
        {source.credentials?.map((name) => (
          <Credential
            key={name}
            slug={source.slug}
            name={name}
            isStored={source.stored?.includes(name) ?? false}
          />
        ))}
      </ul>
    </Card>
  );
}

function Credential({ slug, name, isStored }: { slug: string; name: string; isStored: boolean }) {
  const [value, setValue] = useState("");
  const [isAsking, setAsking] = useState(false);
  const keeping = useSourceAction(
    () => keepCredential(slug, name, value),
    () => {
      setValue("");
      toast(`${name} is kept.`);
    },
  );
  const forgetting = useSourceAction(
    () => forgetCredential(slug, name),
    () => setAsking(false),
  );

  return (
    <li>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!keeping.isPending) keeping.mutate(undefined);
        }}
      >
        <TextField
          label={
            <>
              {name} <Badge tone={isStored ? "good" : "warn"}>{isStored ? "is there" : "is missing"}</Badge>
            </>
          }
          type="password"
          autoComplete="off"
          placeholder={isStored ? "Enter another to replace it" : "Enter it here"}
          value={value}
          required
          className="min-w-0 grow basis-60"
          onChange={(event) => setValue(event.target.value)}
        />
        <Button type="submit" isBusy={keeping.isPending}>
          Keep it
        </Button>
        {isStored && (
          <Button kind="danger" onClick={() => setAsking(true)}>
            Forget it
          </Button>
        )}
      </form>
      <Confirm
        title={`Forget ${name}?`}
        action="Forget it"
        isOpen={isAsking}
        isBusy={forgetting.isPending}
        onConfirm={() => forgetting.mutate(undefined)}
        onClose={() => setAsking(false)}
      >
        The source stops working until you enter it again.
      </Confirm>
    </li>
  );
}
