// A message as a selector sees it, made from what rules see of it (JMS-84).

import type { HeaderName, SelectableMessage } from '../selectors/compile-selector.js';
import type { SelectorValue } from '../selectors/selector-values.js';
import type { MessageView } from './message-view.js';
import type { RuleValue } from './rule-value.js';

export class ViewedBySelector implements SelectableMessage {
  readonly #message: MessageView;

  constructor(message: MessageView) {
    this.#message = message;
  }

  /** Case counts, unlike in SQL. */
  property(name: string): SelectorValue {
    return this.#message.spelling(name) === name ? selectorValueOf(this.#message.user(name)) : null;
  }

  header(name: HeaderName): SelectorValue {
    const message = this.#message;
    switch (name) {
      case 'JMSMessageID':
        return selectorValueOf(message.header('messageId'));
      case 'JMSCorrelationID':
        return selectorValueOf(message.header('correlationId'));
      case 'JMSXUserID':
        return selectorValueOf(message.header('userId'));
      case 'JMSDeliveryMode':
        return message.header('durable') === true ? 'PERSISTENT' : 'NON_PERSISTENT';
      case 'JMSPriority':
        return selectorValueOf(message.header('priority'));
      case 'JMSTimestamp':
        return selectorValueOf(message.header('creationTime'));
      case 'JMSXGroupSeq':
        return selectorValueOf(message.header('groupSequence'));
      case 'JMSType':
        return selectorValueOf(message.system('Label'));
      case 'JMSXGroupID':
        return selectorValueOf(message.system('SessionId'));
      case 'JMSXDeliveryCount': {
        const count = selectorValueOf(message.system('DeliveryCount'));
        return typeof count === 'bigint' ? count + 1n : 1n;
      }
      default:
        return name satisfies never;
    }
  }
}

/** A timestamp is its milliseconds. All that JMS has no type for is null. */
function selectorValueOf(value: RuleValue | undefined): SelectorValue {
  if (value === undefined) return null;
  if (typeof value !== 'object' || value === null) return value;
  return value.kind === 'timestamp' ? BigInt(value.ms) : null;
}
