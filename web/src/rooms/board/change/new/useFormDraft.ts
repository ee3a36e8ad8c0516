import { useState } from "react";

import { emptyForm, type Form } from "./form";

const KEY = "bottega.draft:new-change";

function read(): Form {
  const kept = localStorage.getItem(KEY);
  return kept === null ? emptyForm() : { ...emptyForm(), ...(JSON.parse(kept) as Form) };
}

/** The form, in this browser with every letter until the server has taken it. */
export function useFormDraft() {
  const [form, setForm] = useState(read);
  const [isKept, setKept] = useState(() => localStorage.getItem(KEY) !== null);
  return {
    form,
    isKept,
    change(part: Partial<Form>) {
      const next = { ...form, ...part };
      localStorage.setItem(KEY, JSON.stringify(next));
      setForm(next);
    },
    forget() {
      localStorage.removeItem(KEY);
      setForm({ ...emptyForm(), project: form.project });
      setKept(false);
    },
  };
}
