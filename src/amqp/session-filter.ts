// The filter by which a source asks for a message session, and which its answer repeats in the shape it came in.

import { ServiceBusError } from '../broker/service-bus-error.js';
import { entriesOf, textOf } from '../codec/read-value.js';
import { type AmqpValue, amqp } from '../codec/types.js';
import { describeValue } from './describe-value.js';
import { filterKindOf } from './filter-kind.js';

const SESSION_FILTER = 'com.microsoft:session-filter';

export type SessionFilter = {
  /** Undefined: the next session that is available. */
  readonly sessionId: string | undefined;
  /** As it was written, a symbol with most clients. */
  readonly key: AmqpValue;
  /** Go describes the value, and cannot read an answer whose value is not; for all others it is the reverse. */
  readonly descriptor: AmqpValue | undefined;
};

/** What the filters of a source say of sessions; undefined when they say nothing. */
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

/** The filters of the answer: this one alone, with the session that was accepted (SES-10). */
export function answeredFilter({ key, descriptor }: SessionFilter, sessionId: string): AmqpValue {
  const value = amqp.string(sessionId);
  return amqp.map([[key, descriptor === undefined ? value : amqp.described(descriptor, value)]]);
}
