// Writes an id of a message as JMS programs see it, whatever its type on the wire (JMS-84).

import type { RuleValue } from '../broker/rules/rule-value.js';
import { payloadAt } from './encoded-values.js';
import { dashed } from './read-message.js';

const PREFIX = 'ID:';
/** For a text without the prefix, which JMS demands of a message id. */
const NO_PREFIX = 'ID:AMQP_NO_PREFIX:';
const UUID = 'ID:AMQP_UUID:';
const ULONG = 'ID:AMQP_ULONG:';
const BINARY = 'ID:AMQP_BINARY:';

/** Null for any value that is no id. */
export function jmsIdOf(id: RuleValue): RuleValue {
  if (typeof id === 'string') return id.startsWith(PREFIX) ? id : `${NO_PREFIX}${id}`;
  if (typeof id === 'bigint') return `${ULONG}${id}`;
  if (typeof id !== 'object' || id === null) return null;
  if (id.kind === 'uuid') return `${UUID}${dashed(id.hex)}`;
  return id.kind === 'other' ? `${BINARY}${payloadAt(id.encoded, 0).toString('hex').toUpperCase()}` : null;
}
