import { useState } from "react";

import { useKept } from "@/lib/kept";

import { emptyForm, type Form } from "./form";

/** The form, and whether it was found here begun and not sent. */
export function useFormDraft() {
  const [kept, keep, drop] = useKept<Partial<Form>>("board.new-change", {});
  const [isKept, setKept] = useState(() => Object.keys(kept).length > 0);
  const [empty] = useState(emptyForm);
  const form: Form = { ...empty, ...kept };
  return {
    form,
    isKept,
    change: (part: Partial<Form>) => keep({ ...form, ...part }),
    forget() {
      drop({ project: form.project });
      setKept(false);
    },
  };
}
