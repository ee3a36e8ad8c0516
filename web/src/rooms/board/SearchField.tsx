import { useEffect, useEffectEvent, useRef, useState } from "react";

import { TextField } from "@/components/Field";

const PAUSE = 250;

type Props = { label: string; value: string; onChange: (value: string) => void; className?: string };

/** Words to look for: passed on when the typing pauses, and taken over when the address changes. */
export function SearchField({ label, value, onChange, className }: Props) {
  const [text, setText] = useState(value);
  const passedOn = useRef(value);
  const passOn = useEffectEvent((words: string) => {
    passedOn.current = words;
    onChange(words);
  });

  useEffect(() => {
    if (value === passedOn.current) return;
    passedOn.current = value;
    setText(value);
  }, [value]);

  useEffect(() => {
    if (text === passedOn.current) return;
    const timer = setTimeout(() => passOn(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);

  return (
    <TextField
      type="search"
      label={label}
      value={text}
      placeholder="A few words"
      className={className}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
