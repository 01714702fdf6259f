// The filter of the timeline: one correlation, session or message to follow, or the entity or client whose messages to show.

import type { Route } from '../../state/route.js';
import type { TimelineMessage, TimelineStep } from './timeline-messages.js';

const EXAMPLES = {
  correlation: 'ord-10469',
  session: 'C-0412',
  message: 'ord-10469',
  entity: 'orders',
  client: 'fulfilment',
} as const;
type Key = keyof typeof EXAMPLES;
export const TIMELINE_KEYS = Object.keys(EXAMPLES) as readonly Key[];
const SYNONYMS: Readonly<Record<string, Key>> = { id: 'message', queue: 'entity', topic: 'entity' };

/** `number` is one message by its path and number, with those made from it; `any` a word that may mean each of the others. */
export type TimelineFilter = {
  readonly key: Key | 'number' | 'any' | 'none';
  readonly value: string;
  /** Says why the text means nothing. */
  readonly problem: string | undefined;
};

const MOST_ANCESTORS = 20;
const NUMBERED = /^(.+)#(\d{1,16})$/;
const KEYED = /^([a-z]+):(.*)$/is;

/** Everything behind the colon is the value, blanks and colons included. */
export function parseTimelineFilter(text: string): TimelineFilter {
  const trimmed = text.trim();
  if (trimmed === '') return { key: 'none', value: '', problem: undefined };
  const [, name = '', rest = ''] = KEYED.exec(trimmed) ?? [];
  const given = name.toLowerCase();
  const key = TIMELINE_KEYS.find((each) => each === given) ?? SYNONYMS[given];
  if (key === undefined) {
    return { key: NUMBERED.test(trimmed) ? 'number' : 'any', value: trimmed, problem: undefined };
  }
  const value = rest.trim().replace(/^"(.*)"$/s, '$1');
  const problem = value === '' ? `${given}: needs a value, as in ${given}:${EXAMPLES[key]}.` : undefined;
  return { key, value, problem };
}

/** Whether the message is one of those to show. */
export function matchesFilter({ key, value, problem }: TimelineFilter, message: TimelineMessage): boolean {
  if (problem !== undefined) return false;
  const { messageId, correlationId, sessionId, entity, clients } = message;
  const wanted = value.toLowerCase();
  const isEntity = () => `${entity} ${entity.replace('/Subscriptions/', '/')}`.toLowerCase().includes(wanted);
  const isClient = () => [...clients].some((client) => client.toLowerCase().includes(wanted));
  switch (key) {
    case 'none':
      return true;
    case 'correlation':
      return correlationId === value;
    case 'session':
      return sessionId === value;
    case 'message':
      return messageId === value;
    case 'entity':
      return isEntity();
    case 'client':
      return isClient();
    case 'number':
      return isNumbered(value, message) || isMadeFrom(value, message);
    case 'any':
      return [messageId, correlationId, sessionId].includes(value) || isEntity() || isClient();
  }
}

/** Whether the step is one of those to show: a session's also if it names no message. */
export function matchesStep(filter: TimelineFilter, { event, message }: TimelineStep): boolean {
  if (message !== undefined) return matchesFilter(filter, message);
  if (filter.key === 'none') return true;
  if (filter.key === 'session') return event.sessionId === filter.value;
  return filter.key === 'entity' && event.path?.toLowerCase().includes(filter.value.toLowerCase()) === true;
}

function isNumbered(value: string, message: TimelineMessage): boolean {
  const [, path = '', number] = NUMBERED.exec(value) ?? [];
  return isMessage(message, { path, sequenceNumber: Number(number) });
}

/** Whether a row is the message of that place. */
export function isMessage(
  { entity, path, sequenceNumber }: TimelineMessage,
  wanted: { readonly path: string; readonly sequenceNumber: number },
): boolean {
  const wantedPath = wanted.path.toLowerCase();
  return (
    sequenceNumber === wanted.sequenceNumber &&
    [entity, path].some((each) => each.toLowerCase() === wantedPath)
  );
}

function isMadeFrom(value: string, { origin }: TimelineMessage): boolean {
  let ancestor = origin;
  for (let depth = 0; depth < MOST_ANCESTORS && ancestor !== undefined; depth++) {
    if (isNumbered(value, ancestor)) return true;
    ancestor = ancestor.origin;
  }
  return false;
}

/** The filter that follows a message with those that belong to it. */
export function followingFilter({ correlationId, messageId, path, sequenceNumber }: TimelineMessage): string {
  if (correlationId !== undefined) return `correlation:${correlationId}`;
  return messageId === undefined ? `${path}#${sequenceNumber}` : `message:${messageId}`;
}

/** The place of a message in the page. */
export function placeOf({ path, entity, sequenceNumber }: TimelineMessage): Route {
  const tab = path === entity ? 'active' : /\/\$Transfer\//i.test(path) ? 'transfer-dead' : 'dead';
  return { screen: 'message', path: entity, tab, sequenceNumber };
}
