// Waits until an entity has the messages that a test expects. If they do not come, says what was there.

import { parseEntityPath, subscriptionPathOf } from '../broker/contract/entities/entity-path.js';
import { isOfKind, JitneyError } from '../jitney-error.js';
import type { EmulatorCounts, WaitOptions } from './emulator-entities.js';
import type { EmulatorMessage, EmulatorMessageState } from './emulator-message.js';
import { checkKeys } from './given-options.js';
import { checkWhole, countsOf, listMessages, type Place, STATES, statesOf } from './list-messages.js';
import type { LookContext } from './look-context.js';
import { waitUntil } from './wait-until.js';

const DEFAULT_TIMEOUT_MS = 5000;
/** The error of a wait shows so many messages. */
const SHOWN_COUNT = 3;
const SHOWN_LENGTH = 80;

type Wanted = number | ((message: EmulatorMessage) => boolean);

/** Rejects with a JitneyError, a RangeError or TypeError, the reason of the signal, or an error of the function. */
export async function waitForMessages(
  context: LookContext,
  place: Place,
  wanted: Wanted,
  options?: WaitOptions,
): Promise<EmulatorMessage[]> {
  checkWanted(wanted);
  checkKeys('waitFor', options, ['state', 'timeoutMs', 'signal']);
  const { state, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options ?? {};
  const states = statesOf(state);
  const { activity, waits, startTimer } = context;
  let hasExisted = false;
  const look = async () => {
    const counts = await countsOf(context, place).catch((error: unknown) => {
      if (hasExisted || !isMissing(error)) throw error;
    });
    if (counts === undefined) return undefined;
    hasExisted = true;
    // The counts come first, because they are cheaper than the messages.
    if (typeof wanted === 'number' && mostOf(counts, place, states) < wanted) return undefined;
    const messages = await listMessages(context, place, { state: states });
    if (typeof wanted === 'number') return messages.length >= wanted ? messages : undefined;
    const matching = messages.filter((message) => isWanted(wanted, message));
    return matching.length > 0 ? matching : undefined;
  };
  const entityKey = place.entityPath.toLowerCase();
  return waitUntil({
    look,
    timeoutMs,
    signal,
    waits,
    startTimer,
    observe: (again) =>
      activity.watch((_kind, read) => {
        const record = read();
        if ('path' in record && record.path !== undefined && mainPathOf(record.path) === entityKey) again();
      }),
    expired: () => notThere(context, place, { wanted, states, timeoutMs }),
  });
}

/** Throws a RangeError for a number that cannot be a number of messages, and a TypeError for anything that is neither a number nor a function. */
function checkWanted(wanted: unknown): void {
  if (typeof wanted === 'function') return;
  if (typeof wanted === 'number') return checkWhole('The number of messages to wait for', wanted, 1);
  const seen = typeof wanted === 'string' ? `'${wanted}'` : String(wanted);
  throw new TypeError(
    `waitFor takes a number of messages, or a function that returns true for a wanted message, not ${seen}.`,
  );
}

function isMissing(error: unknown): error is JitneyError {
  return isOfKind(error, 'entity-not-found');
}

/** Throws a TypeError for a function that returns a promise, because a promise would count as true. */
function isWanted(wanted: (message: EmulatorMessage) => unknown, message: EmulatorMessage): boolean {
  const answer = wanted(message);
  if (answer instanceof Promise) {
    throw new TypeError(
      'The function given to waitFor returned a promise; it must return true or false at once.',
    );
  }
  return Boolean(answer);
}

/** The path of the entity to which a sub-queue belongs, for comparison. */
function mainPathOf(path: string): string {
  const { name, subscriptionName } = parseEntityPath(path);
  return (subscriptionName === undefined ? name : subscriptionPathOf(name, subscriptionName)).toLowerCase();
}

/** The largest number of messages that there can be in these states. */
function mostOf(
  counts: EmulatorCounts,
  { path, entityPath }: Place,
  states: readonly EmulatorMessageState[],
): number {
  if (path !== entityPath) return counts.deadLetter;
  return states.reduce((sum, state) => sum + counts[state], 0);
}

type Missing = {
  readonly wanted: Wanted;
  readonly states: readonly EmulatorMessageState[];
  readonly timeoutMs: number;
};

async function notThere(
  context: LookContext,
  place: Place,
  { wanted, states, timeoutMs }: Missing,
): Promise<JitneyError> {
  const seen = await countsOf(context, place).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return new JitneyError(
      error.kind,
      `${error.message} waitFor has waited ${timeoutMs} ms for it to be created.`,
    );
  });
  if (seen instanceof JitneyError) return seen;
  const counts = Object.entries(seen).map(([state, count]) => `${count} ${state}`);
  const first = await listMessages(context, place, { max: SHOWN_COUNT + 1 });
  const expected =
    typeof wanted === 'number'
      ? `${wanted} message${wanted === 1 ? '' : 's'}`
      : 'a message for which the function returns true';
  const inStates = states.length === STATES.length ? '' : ` (${states.join(' or ')})`;
  const shown = first.slice(0, SHOWN_COUNT).map((message) => `\n  ${wordMessage(message)}`);
  const rest = first.length > SHOWN_COUNT ? '\n  and more' : '';
  const text = `'${place.path}' did not have ${expected}${inStates} within ${timeoutMs} ms.`;
  const there = `'${place.entityPath}' has ${counts.join(', ')}.`;
  return new JitneyError('not-there', `${text} ${there}${shown.join('')}${rest}`);
}

function wordMessage({ sequenceNumber, state, messageId, body }: EmulatorMessage): string {
  const bodyText = body instanceof Uint8Array ? `${body.length} bytes` : wordBody(body);
  return `#${sequenceNumber} ${state}, id '${messageId ?? ''}': ${bodyText}`;
}

function wordBody(body: unknown): string {
  if (body === undefined) return 'no body';
  const text = JSON.stringify(body, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
