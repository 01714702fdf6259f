// What the broker needs of contents it never opens itself: the port by which it is told what is in them.

import type { MessageView } from '../rules/message-view.js';
import type { RuleValue } from '../rules/rule-value.js';
import type { NewMessage, PropertyValue } from './message-properties.js';

/** A stored content, as a front end would have read it from its sender, and its properties for rules. */
export type ReadContent = NewMessage & {
  /** SQL-07: of what only the broker knows, such as numbers and times, it says null. Application properties are decoded when one is asked for. */
  readonly properties: SentProperties;
};

export type SentProperties = MessageView & {
  /** The name of an application property as the sender spelled it; undefined when it is missing (SQL-05). */
  spelling(name: string): string | undefined;
};

export type MessageReader = {
  /** Throws nothing for what has once been accepted. */
  read(content: Uint8Array): ReadContent;
  /** A value that was set on a message after it was sent, as rules see it. */
  decode(value: PropertyValue): RuleValue;
  /** A value that a rule's action gives a property, encoded as AMQP (ACT-03). */
  encode(value: RuleValue): Uint8Array;
};
