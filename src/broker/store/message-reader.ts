// The port through which the broker reads message contents, which it never decodes itself.

import type { NewMessage, PropertyValue } from '../contract/message-properties.js';
import type { MessageView } from '../rules/message-view.js';
import type { RuleValue } from '../rules/rule-value.js';

/** A decoded content: the fields that a front end reads from a sender, and the properties for rules. */
export type ReadContent = NewMessage & {
  /** Application properties are decoded on first use. SQL-07: null for what only the broker knows, such as sequence numbers. */
  readonly properties: MessageView;
};

export type MessageReader = {
  /** An encoded message without properties and with an empty body. */
  readonly empty: Uint8Array;
  /** Never throws for a content that was accepted once. */
  read(content: Uint8Array): ReadContent;
  /** The properties of a message whose other fields were read before. */
  propertiesOf(message: NewMessage): MessageView;
  /** The correlation id at this offset as text, cut when it is long. */
  correlationId(content: Uint8Array, offset: number): string | undefined;
  /** An id that was set on a message after it was sent, as JMS shows it. */
  shownId(id: RuleValue): RuleValue;
  /** Converts a value that was set on a message after it was sent to its form for rules. */
  decode(value: PropertyValue): RuleValue;
  /** Encodes a value that a rule's action sets as AMQP (ACT-03). */
  encode(value: RuleValue): Uint8Array;
};
