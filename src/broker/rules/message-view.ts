// What a rule sees of a message, and what an action may do to its copy: properties, never the body (TOP-07).

import type { RuleValue } from './rule-value.js';
import type { SettableProperty, SystemProperty } from './system-property.js';

export interface MessageView {
  /**
   * Null when it is not set. Times are timestamps; TimeToLive is an integer, in milliseconds; numbers are integers. A
   * message-id or correlation-id that is no text is a uuid, an integer or another value.
   */
  system(property: SystemProperty): RuleValue;
  /** Undefined when it is missing. The name is found as SQL-05 says: see UserProperties. */
  user(name: string): RuleValue | undefined;
  /** Whether `user` finds it, null included. */
  has(name: string): boolean;
}

/** One copy of a message, which sees what was done to it. None of these may throw. */
export interface EditableMessage extends MessageView {
  /** Replaces the property `user` finds, which keeps its spelling; adds one when there is none. */
  setUser(name: string, value: RuleValue): void;
  /** Removes the property `user` finds, if any. */
  removeUser(name: string): void;
  /**
   * ScheduledEnqueueTimeUtc takes a timestamp, TimeToLive an integer that is not negative, the others a text. Null clears.
   */
  setSystem(property: SettableProperty, value: RuleValue): void;
}
