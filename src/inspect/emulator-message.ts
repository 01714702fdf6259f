// A stored message as tests see it: plain JavaScript values under the names of the SDK, with its state in the broker.

import type { MessageCondition } from '../broker/contract/inspection.js';
import type { EntityMessage, PlainForm } from '../content/shown-message.js';

/** The state of a message in its entity. A message that a receiver holds is `locked`, also a deferred one. */
export type EmulatorMessageState = MessageCondition;

/**
 * A message in an entity: a copy, which does not change with the message. Properties without a value are left out. The names are
 * those of the SDK's messages; times are Dates, durations milliseconds.
 */
export type EmulatorMessage = EntityMessage<PlainForm>;
