// Light or dark: as the system has it, until someone chooses.

import { effect, signal } from '@preact/signals';

const KEY = 'jitney-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const stored = localStorage.getItem(KEY);

export const theme = signal<'light' | 'dark' | undefined>(
  stored === 'light' || stored === 'dark' ? stored : undefined,
);

effect(() => {
  const { value } = theme;
  if (value === undefined) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
});

export function switchTheme(): void {
  const isDark = theme.value === undefined ? dark.matches : theme.value === 'dark';
  theme.value = isDark ? 'light' : 'dark';
  localStorage.setItem(KEY, theme.value);
}
