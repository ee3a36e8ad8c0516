import { useState } from "react";

import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Problem } from "@/components/States";

import { MergePanes } from "./MergePanes";

type Props = {
  file: string;
  /** As the file is now. */
  theirs: string;
  mine: string;
  isBusy: boolean;
  error: Error | null;
  onChange: (text: string) => void;
  onSave: () => void;
  onBack: () => void;
};

/** Two texts of one file: a person makes one of them. */
export function Compare({ file, theirs, mine, isBusy, error, onChange, onSave, onBack }: Props) {
  const [before] = useState(mine);
  return (
    <Card
      title={`${file} was changed in two places`}
      note={
        <div className="flex flex-wrap gap-2">
          <Button onClick={onBack}>Back to writing</Button>
          <Button kind="primary" isBusy={isBusy} onClick={onSave}>
            Save this text
          </Button>
        </div>
      }
    >
      <div className="space-y-3">
        <p className="text-sm text-muted">
          What the file says now stands beside your text, which you can still edit. Take over what you want
          from it, place by place; the text that you save becomes the file, and the one it replaces is kept
          under Revisions.
        </p>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => onChange(before)} disabled={mine === before}>
            All of mine
          </Button>
          <Button onClick={() => onChange(theirs)} disabled={mine === theirs}>
            All of theirs
          </Button>
        </div>
        {error && <Problem error={error} />}
        <MergePanes
          left={{ label: "In the file now", text: theirs }}
          right={{ label: "Your text", text: mine }}
          onChange={onChange}
        />
      </div>
    </Card>
  );
}
