// The filter of the timeline: one correlation, session or message to follow, or the entities and clients whose lanes to show.

const KEYS = ['correlation', 'session', 'message', 'entity', 'client'] as const;
const SYNONYMS: Readonly<Record<string, (typeof KEYS)[number]>> = {
  id: 'message',
  queue: 'entity',
  topic: 'entity',
};

/** `number` is one message by its path and number, `any` a word that may mean each of them. */
export type TimelineFilter = {
  readonly key: (typeof KEYS)[number] | 'number' | 'any' | 'none';
  readonly value: string;
  /** Says why the text means nothing. */
  readonly problem: string | undefined;
};

/** The part of a message that a filter looks at. */
export type Followable = {
  readonly path: string;
  readonly sequenceNumber: number;
  readonly messageId: string | undefined;
  readonly correlationId: string | undefined;
  readonly sessionId: string | undefined;
  /** The message that this one is a copy of, at last; itself for an original. */
  readonly root: Followable;
};

const NUMBERED = /^(.+)#(\d{1,16})$/;
const KEYED = /^([a-z]+):(.*)$/is;

/** Everything behind the colon is the value, blanks and colons included. */
export function parseTimelineFilter(text: string): TimelineFilter {
  const trimmed = text.trim();
  if (trimmed === '') return { key: 'none', value: '', problem: undefined };
  const [, name = '', rest = ''] = KEYED.exec(trimmed) ?? [];
  const given = name.toLowerCase();
  const key = KEYS.find((each) => each === given) ?? SYNONYMS[given];
  if (key !== undefined) {
    const value = unquoted(rest.trim());
    const problem = value === '' ? `${given}: needs a value, as in ${given}:${EXAMPLES[key]}.` : undefined;
    return { key, value, problem };
  }
  return NUMBERED.test(trimmed)
    ? { key: 'number', value: trimmed, problem: undefined }
    : { key: 'any', value: trimmed, problem: undefined };
}

const EXAMPLES = {
  correlation: 'ord-10469',
  session: 'C-0412',
  message: 'ord-10469',
  entity: 'orders',
  client: 'fulfilment',
} as const;

/** The message that a filter names by its path and number. */
export function numberedIn({
  key,
  value,
}: TimelineFilter): { path: string; sequenceNumber: number } | undefined {
  const [, path, number] = (key === 'number' ? NUMBERED.exec(value) : null) ?? [];
  return path === undefined ? undefined : { path, sequenceNumber: Number(number) };
}

/** Whether the message is one of those to follow. `root` is the first of the message that the filter names by its number. */
export function follows(
  { key, value, problem }: TimelineFilter,
  message: Followable,
  root: Followable | undefined,
): boolean {
  if (problem !== undefined) return false;
  switch (key) {
    case 'correlation':
      return message.correlationId === value;
    case 'session':
      return message.sessionId === value;
    case 'message':
      return message.messageId === value;
    case 'any':
      return [message.messageId, message.correlationId, message.sessionId].includes(value);
    case 'number':
      return message.root === root;
    default:
      return false;
  }
}

/** Whether the filter names a lane: of an entity by its path, of a client by its name. */
export function namesLane({ key, value }: TimelineFilter, lane: { path?: string; client?: string }): boolean {
  const wanted = value.toLowerCase();
  const path = lane.path?.toLowerCase() ?? '';
  const isPath = path.includes(wanted) || path.replace('/subscriptions/', '/').includes(wanted);
  const isClient = lane.client?.toLowerCase().includes(wanted) === true;
  if (key === 'entity') return isPath;
  return key === 'client' ? isClient : key === 'any' && (isPath || isClient);
}

/** Whether the filter may only narrow what is shown, and marks no message. */
export function isNarrowing({ key }: TimelineFilter): boolean {
  return key === 'entity' || key === 'client';
}

function unquoted(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
