import { Link } from "@tanstack/react-router";
import { useState } from "react";

import type { CredentialAsked } from "@/api/schema";
import { Button } from "@/components/Button";
import { TextField } from "@/components/Field";
import { Problem } from "@/components/States";

import { useAnswering } from "./answering";

export function CredentialRequest({ id, asked }: { id: string; asked: CredentialAsked }) {
  const [value, setValue] = useState("");
  const answering = useAnswering(id);

  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        answering.send({ kind: "credential", value });
      }}
    >
      <h3 className="font-medium">
        A credential for{" "}
        <Link to="/sources/$slug" params={{ slug: asked.source }} className="text-accent underline">
          {asked.source_name}
        </Link>
      </h3>
      {asked.reason && <p className="text-sm">{asked.reason}</p>}
      <TextField
        label={asked.name}
        hint={`Kept encrypted and given only to ${asked.goes_to}. The agent never sees it.`}
        type="password"
        autoComplete="off"
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      {answering.error && <Problem error={answering.error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" isBusy={answering.isPending} disabled={!value.trim()}>
          Keep it
        </Button>
        <Button disabled={answering.isPending} onClick={() => answering.send({ kind: "decline" })}>
          Decline
        </Button>
      </div>
    </form>
  );
}
