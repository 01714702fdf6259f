// Contents for the broker's tests that say in JSON what a message says in AMQP, and the reader that tells the broker of it.

import type { NewMessage, PropertyValue } from '../../src/broker/contract/message-properties.js';
import { type HeaderField, type MessageView, UserProperties } from '../../src/broker/rules/message-view.js';
import type { SystemProperty } from '../../src/broker/rules/property-name.js';
import type { RuleValue } from '../../src/broker/rules/rule-value.js';
import type { MessageReader, ReadContent } from '../../src/broker/store/message-reader.js';

export type JsonMessage = {
  readonly body?: string;
  readonly subject?: string;
  readonly to?: string;
  readonly messageId?: string;
  readonly sessionId?: string;
  readonly scheduledEnqueueTime?: number;
  readonly priority?: number;
  readonly user?: Readonly<Record<string, string | number | boolean | null>>;
};

/** Counts how often contents were read, and how often a name was looked up for a change by an action. */
export class JsonReader implements MessageReader {
  readonly empty = new Uint8Array();
  readCount = 0;
  correlationReadCount = 0;
  spellingCount = 0;

  read(content: Uint8Array): ReadContent {
    this.readCount += 1;
    const message = parse(content);
    return {
      content,
      messageId: message.messageId,
      sessionId: message.sessionId,
      replyToSessionId: undefined,
      partitionKey: undefined,
      viaPartitionKey: undefined,
      timeToLiveMs: undefined,
      scheduledEnqueueTime: message.scheduledEnqueueTime,
      headBytes: 0,
      largestPropertyBytes: 0,
      unsupportedProperty: undefined,
      properties: this.#viewOf(message),
    };
  }

  propertiesOf({ content }: NewMessage): MessageView {
    this.readCount += 1;
    return this.#viewOf(parse(content));
  }

  #viewOf(message: JsonMessage): MessageView {
    const user = new UserProperties(
      Object.entries(message.user ?? {}).map(([name, value]) => [name, ruleValueOf(value)]),
    );
    const system: Partial<Record<SystemProperty, RuleValue | undefined>> = {
      Label: message.subject,
      To: message.to,
      MessageId: message.messageId,
      SessionId: message.sessionId,
    };
    const headers: { readonly [field in HeaderField]?: RuleValue } = {
      messageId: shownId(message.messageId ?? null),
      priority: BigInt(message.priority ?? 4),
    };
    return {
      system: (property) => system[property] ?? null,
      user: (name) => user.get(name),
      has: (name) => user.has(name),
      spelling: (name) => {
        this.spellingCount += 1;
        return user.find(name);
      },
      header: (field) => headers[field] ?? null,
    };
  }

  /** Each has one that says where it was read. */
  correlationId(_content: Uint8Array, offset: number): string {
    this.correlationReadCount += 1;
    return `at ${offset}`;
  }

  shownId(id: RuleValue): RuleValue {
    return shownId(id);
  }

  decode(value: PropertyValue): RuleValue {
    if (typeof value === 'string') return value;
    return ruleValueOf(JSON.parse(new TextDecoder().decode(value)));
  }

  encode(value: RuleValue): Uint8Array {
    const plain = typeof value === 'bigint' ? Number(value) : value;
    return new TextEncoder().encode(JSON.stringify(plain));
  }
}

export function contentOf(message: JsonMessage): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}

function shownId(id: RuleValue): RuleValue {
  return typeof id === 'string' ? `ID:${id}` : null;
}

/** Whole numbers are integers. */
function ruleValueOf(value: string | number | boolean | null): RuleValue {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

/** Of a content that is no JSON nothing is known. */
function parse(content: Uint8Array): JsonMessage {
  const text = new TextDecoder().decode(content);
  return text.startsWith('{') ? (JSON.parse(text) as JsonMessage) : {};
}
