// Finds out whether a port that is in use belongs to a Jitney, and says what to do with that one.

import { clientHost } from '../../config/connection-string.js';
import type { Settings } from '../../config/settings.js';
import { readAnswer } from '../control/http-answer.js';
import { localTime } from '../output/local-time.js';

/** Somebody waits for the error of a start. */
const TIMEOUT_MS = 1000;
const MOST_CHARACTERS = 65_536;

type Answer = {
  readonly product?: string;
  readonly version?: string;
  readonly startedTime?: string;
  /** Answered by a Jitney that checks keys, or whose control interface is switched off. */
  readonly error?: { readonly message?: string };
};

/** Lines of help; undefined if no port is in use, or another program has it. */
export async function portHolder(
  port: number | undefined,
  settings: Settings | undefined,
  typedAs: string,
  timeoutMs = TIMEOUT_MS,
): Promise<readonly string[] | undefined> {
  if (port === undefined || settings === undefined) return undefined;
  const answer = await ask(`http://${clientHost(settings.host)}:${port}/$jitney/v1/info`, timeoutMs);
  if (answer?.product !== 'Jitney' && answer?.error?.message === undefined) return undefined;
  const { version, startedTime } = answer;
  const since = startedTime === undefined ? '' : `, since ${localTime(startedTime).slice(0, -'.000'.length)}`;
  return [
    `Jitney${version === undefined ? '' : ` ${version}`} has it${since}`,
    `See what it holds:  ${typedAs} status --port ${port}`,
    `Stop it:            ${typedAs} stop --port ${port}`,
  ];
}

async function ask(url: string, timeoutMs: number): Promise<Answer | undefined> {
  try {
    const { text } = await readAnswer(url, { timeoutMs, maxCharacters: MOST_CHARACTERS });
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}
