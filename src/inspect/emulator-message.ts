// A stored message for tests: plain JavaScript values with the SDK's names, and its state in the broker.

import type { MessageCondition } from '../broker/contract/inspection.js';
import type { EntityMessage, PlainForm } from '../content/shown-message.js';

/** The state of a message in its entity. A message that a receiver holds is `locked`, even if it was deferred. */
export type EmulatorMessageState = MessageCondition;

/**
 * A copy of a message in an entity, which does not change with the message. Properties without a value are left out. The names are the
 * same as in the SDK's messages; times are Dates, and durations are milliseconds.
 */
export type EmulatorMessage = EntityMessage<PlainForm>;
