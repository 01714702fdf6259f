// The command that starts the emulator which this page has known and which does not answer any more.

import type { InfoAnswer } from '../../http/control/control-schemas.js';

/** Flags whose values the page may know and repeat. Queues, topics and keys are not told to it. */
const REPEATED = ['host', 'label', 'dataDirectory', 'configFile', 'tier', 'auth', 'clock', 'ui'] as const;
/** Repeated with the number that was open, also where a free one was asked for: clients have it. */
const PORTS = ['port', 'httpPort', 'tlsPort', 'httpsPort'] as const;

/** `npx jitney --port 5672 --label shop`: with the options that were given as flags and that the page knows. */
export function startCommand(info: InfoAnswer | undefined): string {
  const words = ['npx', 'jitney'];
  if (info === undefined) return words.join(' ');
  const { settings, settingOrigins, ports } = info;
  for (const name of PORTS) {
    const flag = settingOrigins[name];
    if (flag?.startsWith('--')) words.push(flag, `${ports[name] ?? 'off'}`);
  }
  for (const name of REPEATED) {
    const flag = settingOrigins[name];
    const value = settings[name];
    // Without a data directory its origin may be the flag that asks for none.
    if (flag === '--memory') words.push(flag);
    else if (flag?.startsWith('--') && value !== undefined) words.push(flag, quoted(String(value)));
  }
  return words.join(' ');
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
