// The source of a receiver link: whether it receives or browses, and its filters, such as the filter for a message session.

import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { entriesOf, integerOf, textOf } from '../../codec/read-value.js';
import { decodeTerminus, type Terminus } from '../../codec/terminus.js';
import { type AmqpValue, amqp } from '../../codec/types.js';
import { describeValue } from '../describe-value.js';

export type FilterKind = 'session' | 'non-exclusive-session' | 'selector' | 'no-local';

const SELECTOR = 0x468c00000004;
/** Descriptors, as numbers and as symbols. The key of a described filter may be anything (AMQP 3.5.8). */
const BY_DESCRIPTOR = new Map<string | number | undefined, FilterKind>([
  [0x137000000c, 'session'],
  ['com.microsoft:session-filter', 'session'],
  ['com.microsoft:session-filter:string', 'session'],
  [0x137000000e, 'non-exclusive-session'],
  ['com.microsoft:non-exclusive-session-filter:list', 'non-exclusive-session'],
  [SELECTOR, 'selector'],
  ['apache.org:selector-filter:string', 'selector'],
  [0x468c00000003, 'no-local'],
  ['apache.org:no-local-filter:list', 'no-local'],
]);

/** Most of Azure's SDKs do not describe their filters. */
const BY_KEY = new Map<string | undefined, FilterKind>([
  ['com.microsoft:session-filter', 'session'],
  ['com.microsoft:non-exclusive-session-filter', 'non-exclusive-session'],
  ['jms-selector', 'selector'],
  ['apache.org:selector-filter:string', 'selector'],
]);

const MAX_SHOWN = 60;
const SESSION_FILTER = 'com.microsoft:session-filter';

export type SessionFilter = {
  /** Undefined for the next available session. */
  readonly sessionId: string | undefined;
  /** The key as the client wrote it: a symbol with most clients. */
  readonly key: AmqpValue;
  /** The descriptor of the value. Go writes one and cannot read an answer without; all other clients do the reverse. */
  readonly descriptor: AmqpValue | undefined;
};

/** Whether the receiver only browses (AMQP 3.5.3). JMS-39: a durable source does not, as JMS says `copy` for each durable subscription, and consumes. */
export function isCopy({ distributionMode, durable, expiryPolicy }: Terminus): boolean {
  return distributionMode === 'copy' && durable === 0 && expiryPolicy !== 'never';
}

/** Whether the source's distribution mode is `move`, which the answer may repeat. */
export function isMove(source: Uint8Array): boolean {
  return decodeTerminus(source)?.distributionMode === 'move';
}

/** The kind of a filter, by the descriptor of its value or else by its key; undefined for an unknown filter. */
export function filterKindOf([key, { descriptor }]: readonly [AmqpValue, AmqpValue]): FilterKind | undefined {
  return BY_DESCRIPTOR.get(integerOf(descriptor) ?? textOf(descriptor)) ?? BY_KEY.get(textOf(key));
}

/** The session filter of a source; undefined when there is none. */
export function readSessionFilter(
  filters: AmqpValue | undefined,
  entityPath: string,
): SessionFilter | undefined {
  const entry = entriesOf(filters)?.find((each) => filterKindOf(each) === 'session');
  if (entry === undefined) return undefined;
  const [key, value] = entry;
  if (value.value === null) return { sessionId: undefined, key, descriptor: value.descriptor };
  if (!value.type.name.startsWith('Str')) {
    throw new ServiceBusError(
      'argument',
      `The filter '${SESSION_FILTER}' is ${describeValue(value)}; it must be the id of a session as a string, or null for the next session that is available.`,
      { entityPath, property: SESSION_FILTER },
    );
  }
  return { sessionId: textOf(value), key, descriptor: value.descriptor };
}

export type AppliedSelector = {
  readonly text: string;
  /** The filter as the client wrote it, which the answer repeats for the one that is applied. */
  readonly entry: readonly [AmqpValue, AmqpValue];
};

/** JMS-80: the selector of a source; undefined when there is none. Throws argument. */
export function readSelector(
  filters: AmqpValue | undefined,
  entityPath: string,
): AppliedSelector | undefined {
  const [entry, second] = entriesOf(filters)?.filter((each) => filterKindOf(each) === 'selector') ?? [];
  if (entry === undefined) return undefined;
  const refuse = (text: string) =>
    new ServiceBusError('argument', text, { entityPath, property: 'selector' });
  if (second !== undefined) {
    const texts = [entry, second].map(([, value]) => `'${(textOf(value) ?? '').slice(0, MAX_SHOWN)}'`);
    throw refuse(`The source has two selectors, ${texts.join(' and ')}; join them by AND to one.`);
  }
  const [, value] = entry;
  const text = value.type.name.startsWith('Str') ? textOf(value) : undefined;
  if (text === undefined) {
    throw refuse(`The selector of the source is ${describeValue(value)}; it must be a string.`);
  }
  return text.trim() === '' ? undefined : { text, entry };
}

/** The filters of a source that has a selector, and no other, as Qpid JMS writes them. */
export function selectorFilter(selector: string): AmqpValue {
  const value = amqp.described(amqp.ulong(SELECTOR), amqp.string(selector));
  return amqp.map([[amqp.symbol('jms-selector'), value]]);
}

/** The filters of our answer: the session filter alone, with the session that was accepted (SES-10). */
export function answeredFilter({ key, descriptor }: SessionFilter, sessionId: string): AmqpValue {
  const value = amqp.string(sessionId);
  return amqp.map([[key, descriptor === undefined ? value : amqp.described(descriptor, value)]]);
}
