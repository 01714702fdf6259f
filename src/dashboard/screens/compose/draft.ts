// A message that is being written: as the fields hold it, and as it is sent.

import { readDuration } from '../../state/duration.js';
import type { PropertyType, SentProperty } from '../../state/property-text.js';
import type { SendableMessage } from '../../state/sendable.js';
import { readProperty } from './property-value.js';

export type BodyKind = 'text' | 'json' | 'base64';
export type When = 'now' | 'in' | 'at';
export type DraftProperty = { readonly name: string; readonly type: PropertyType; readonly value: string };

/** The fields of one line, by the keys of the interface. */
export const TEXT_FIELDS = [
  ['messageId', 'Message id'],
  ['subject', 'Subject'],
  ['contentType', 'Content type'],
  ['correlationId', 'Correlation id'],
  ['sessionId', 'Session id'],
  ['partitionKey', 'Partition key'],
  ['replyTo', 'Reply to'],
  ['replyToSessionId', 'Reply to session id'],
  ['to', 'To'],
] as const;
type TextField = (typeof TEXT_FIELDS)[number][0];

export type Draft = Readonly<Record<TextField, string>> & {
  /** The path of the queue or topic. */
  readonly destination: string;
  readonly bodyKind: BodyKind;
  readonly body: string;
  readonly timeToLive: string;
  readonly when: When;
  /** A duration for `in`, a local time for `at`. */
  readonly time: string;
  readonly properties: readonly DraftProperty[];
  readonly count: string;
};

/** Where a mistake is: a field, or `property 2`. */
export type Problems = ReadonlyMap<string, string>;
type ReadDraft = { readonly messages: readonly SendableMessage[]; readonly problems: Problems };

const MOST_SENT = 1000;
const BASE64 = /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i;

export const EMPTY_DRAFT: Draft = {
  messageId: '',
  subject: '',
  contentType: '',
  correlationId: '',
  sessionId: '',
  partitionKey: '',
  replyTo: '',
  replyToSessionId: '',
  to: '',
  destination: '',
  bodyKind: 'json',
  body: '',
  timeToLive: '',
  when: 'now',
  time: '',
  properties: [],
  count: '1',
};

/** The messages of a draft, and what is wrong with it. */
export function readDraft(draft: Draft, now: number): ReadDraft {
  const problems = new Map<string, string>();
  const count = readCount(draft.count, problems);
  if (draft.destination.trim() === '') problems.set('destination', 'A queue or topic is missing.');
  if (!/^[\x20-\x7e]*$/.test(draft.contentType))
    problems.set('contentType', 'ASCII only, such as application/json.');
  const common: SendableMessage = {
    ...textsOf(draft),
    ...readProperties(draft.properties, problems),
    ...readTimeToLive(draft.timeToLive, problems),
    ...readSchedule(draft, now, problems),
  };
  checkBody(draft, problems);
  const messages = Array.from({ length: count }, (_, index): SendableMessage => {
    const id = numbered(draft.messageId, index + 1);
    return { ...common, ...(id === '' ? {} : { messageId: id }), ...bodyOf(draft, index + 1) };
  });
  return { messages, problems };
}

/** Whether somebody has written something: another destination is soon chosen again. */
export function hasText(draft: Draft, begun: Draft): boolean {
  const { destination: _, ...written } = draft;
  const { destination: __, ...before } = begun;
  return JSON.stringify(written) !== JSON.stringify(before);
}

/** `{n}` stands for the number of the message. */
function numbered(text: string, number: number): string {
  return text.replaceAll('{n}', String(number));
}

function readCount(text: string, problems: Map<string, string>): number {
  const count = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  if (count >= 1 && count <= MOST_SENT) return count;
  problems.set('count', 'A number from 1 to 1,000.');
  return 1;
}

function textsOf(draft: Draft): Partial<Record<TextField, string>> {
  const given = TEXT_FIELDS.filter(([field]) => field !== 'messageId' && draft[field] !== '');
  return Object.fromEntries(given.map(([field]) => [field, draft[field]]));
}

function bodyOf({ body, bodyKind }: Draft, number: number): Pick<SendableMessage, 'body' | 'bodyBase64'> {
  if (body === '') return {};
  if (bodyKind === 'base64') return { bodyBase64: body.replace(/\s+/g, '') };
  // A text is sent as it is, so that numbers of JSON keep their digits.
  return { body: numbered(body, number) };
}

function checkBody({ body, bodyKind }: Draft, problems: Map<string, string>): void {
  if (body === '' || bodyKind === 'text') return;
  if (bodyKind === 'base64') {
    if (!BASE64.test(body.replace(/\s+/g, ''))) problems.set('body', 'This is not Base64.');
    return;
  }
  try {
    JSON.parse(numbered(body, 1));
  } catch (error) {
    problems.set('body', `This is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function readProperties(
  properties: readonly DraftProperty[],
  problems: Map<string, string>,
): Pick<SendableMessage, 'applicationProperties'> {
  const all = new Map<string, SentProperty>();
  for (const [index, { name, type, value }] of properties.entries()) {
    if (name === '' && value === '') continue;
    const at = `property ${index}`;
    const read = readProperty(type, value);
    if (name === '') problems.set(at, 'A name is missing.');
    else if (name === '__proto__') problems.set(at, 'This name cannot be sent over HTTP.');
    else if (all.has(name)) problems.set(at, `There are two properties named ${name}.`);
    else if ('problem' in read) problems.set(at, read.problem);
    else all.set(name, read);
  }
  return all.size === 0 ? {} : { applicationProperties: Object.fromEntries(all) };
}

function readTimeToLive(text: string, problems: Map<string, string>): Pick<SendableMessage, 'timeToLiveMs'> {
  if (text.trim() === '') return {};
  const timeToLiveMs = readDuration(text);
  if (timeToLiveMs !== undefined && timeToLiveMs > 0) return { timeToLiveMs };
  problems.set('timeToLive', 'A duration such as 30 s, 5 min, 2 h or 1 d.');
  return {};
}

function readSchedule(
  { when, time }: Draft,
  now: number,
  problems: Map<string, string>,
): Pick<SendableMessage, 'scheduledEnqueueTime'> {
  if (when === 'now') return {};
  const inMs = when === 'in' ? readDuration(time) : undefined;
  const at = when === 'in' ? (inMs === undefined ? Number.NaN : now + inMs) : Date.parse(time);
  if (!Number.isNaN(at)) return { scheduledEnqueueTime: new Date(at).toISOString() };
  problems.set('time', when === 'in' ? 'A duration such as 5 min or 2 h.' : 'A day and a time.');
  return {};
}
