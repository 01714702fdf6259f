// The command that starts the emulator which this page has known and which does not answer any more.

import type { InfoAnswer } from '../../http/control/control-schemas.js';

/** Flags whose values the page may know and repeat. Queues, topics and keys are not told to it. */
const REPEATED = ['label', 'dataDirectory', 'tier', 'auth', 'clock', 'ui'] as const;

/** `npx jitney --port 5672 --label shop`: with the options that were given as flags and that the page knows. */
export function startCommand(info: InfoAnswer | undefined): string {
  const words = ['npx', 'jitney'];
  if (info === undefined) return words.join(' ');
  const { settings, settingOrigins, ports } = info;
  if (settingOrigins.port?.startsWith('--') && ports.port !== undefined)
    words.push('--port', `${ports.port}`);
  for (const name of REPEATED) {
    const flag = settingOrigins[name];
    const value = settings[name];
    if (flag?.startsWith('--') && value !== undefined) words.push(flag, quoted(String(value)));
  }
  return words.join(' ');
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
