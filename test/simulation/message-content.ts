// What the contents of a simulation say: the message as it was sent, in few letters, for the broker's reader and the model.

import type { NewMessage } from '../../src/broker/contract/message-properties.js';
import type { MessageView } from '../../src/broker/rules/message-view.js';
import type { RuleValue } from '../../src/broker/rules/rule-value.js';
import type { MessageReader } from '../../src/broker/store/message-reader.js';

/** What rules ask about in a simulation; the message and session ids are in the message itself. */
export type MadeProperties = {
  readonly subject: string | undefined;
  readonly color: string | undefined;
  readonly quantity: number | undefined;
};

/** A message without its content. */
export type MessageHead = Omit<NewMessage, 'content'>;

/** In JSON: absent when undefined, and infinity as null. */
type Written = {
  readonly n: number;
  readonly i?: string | undefined;
  readonly s?: string | undefined;
  readonly k?: string | undefined;
  readonly t?: number | null | undefined;
  readonly at?: number | undefined;
  readonly h?: number | undefined;
  readonly p?: number | undefined;
  readonly l?: string | undefined;
  readonly c?: string | undefined;
  readonly q?: number | undefined;
};

const END = 0x0a;

/** `number` makes it unlike all others. */
export function writeContent(
  number: number,
  head: MessageHead,
  { subject, color, quantity }: MadeProperties,
  paddingBytes: number,
): Uint8Array {
  const written: Written = {
    n: number,
    i: head.messageId,
    s: head.sessionId,
    k: head.partitionKey,
    t: head.timeToLiveMs,
    at: head.scheduledEnqueueTime,
    h: head.headBytes === 0 ? undefined : head.headBytes,
    p: head.largestPropertyBytes === 0 ? undefined : head.largestPropertyBytes,
    l: subject,
    c: color,
    q: quantity,
  };
  const text = new TextEncoder().encode(`${JSON.stringify(written)}\n`);
  if (paddingBytes === 0) return text;
  const content = new Uint8Array(text.length + paddingBytes);
  content.set(text);
  return content;
}

export function readHead(content: Uint8Array): MessageHead {
  const { i, s, k, t, at, h = 0, p = 0 } = parse(content);
  return {
    messageId: i,
    sessionId: s,
    replyToSessionId: undefined,
    partitionKey: k,
    viaPartitionKey: undefined,
    timeToLiveMs: t === null ? Number.POSITIVE_INFINITY : t,
    scheduledEnqueueTime: at,
    headBytes: h,
    largestPropertyBytes: p,
    unsupportedProperty: undefined,
  };
}

export function readProperties(content: Uint8Array): MadeProperties {
  const { l, c, q } = parse(content);
  return { subject: l, color: c, quantity: q };
}

/** The broker's reader of such contents. */
export const CONTENT_READER: MessageReader = {
  empty: new TextEncoder().encode('{}\n'),
  read: (content) => ({ ...readHead(content), content, properties: viewOf(content) }),
  propertiesOf: ({ content }) => viewOf(content),
  correlationId: () => undefined,
  // Rules ask for no property that an action sets to anything but text.
  decode: (value) => (typeof value === 'string' ? value : new TextDecoder().decode(value)),
  shownId: (id) => id,
  encode: (value) => new TextEncoder().encode(textOf(value)),
};

function textOf(value: RuleValue): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function viewOf(content: Uint8Array): MessageView {
  const { i, s, l, c, q } = parse(content);
  const system: Partial<Record<string, string | undefined>> = { MessageId: i, SessionId: s, Label: l };
  const user: Partial<Record<string, RuleValue | undefined>> = {
    color: c,
    quantity: q === undefined ? undefined : BigInt(q),
  };
  return {
    system: (property) => system[property] ?? null,
    user: (name) => user[name.toLowerCase()],
    has: (name) => user[name.toLowerCase()] !== undefined,
    spelling: (name) => (user[name.toLowerCase()] === undefined ? undefined : name.toLowerCase()),
    header: () => null,
  };
}

function parse(content: Uint8Array): Written {
  return JSON.parse(new TextDecoder().decode(content.subarray(0, content.indexOf(END)))) as Written;
}
