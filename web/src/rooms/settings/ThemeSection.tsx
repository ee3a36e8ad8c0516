import { chooseTheme, type Theme, useTheme } from "@/lib/theme";

import { Section } from "./Section";

const THEMES: readonly [Theme, string][] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function ThemeSection() {
  const chosen = useTheme();
  return (
    <Section id="theme" title="Theme" note="Kept in this browser">
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">Theme</legend>
        {THEMES.map(([theme, name]) => (
          <label
            key={theme}
            className="flex cursor-pointer items-center gap-2 rounded-md border px-3 py-2 text-sm has-checked:border-accent has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name="theme"
              value={theme}
              checked={chosen === theme}
              onChange={() => chooseTheme(theme)}
              className="accent-(--accent)"
            />
            {name}
          </label>
        ))}
      </fieldset>
    </Section>
  );
}
