// Reads stored messages for the broker, which never opens one itself.

import type { NewMessage } from '../broker/contract/message-properties.js';
import { type HeaderField, type MessageView, UserProperties } from '../broker/rules/message-view.js';
import type { SystemProperty } from '../broker/rules/property-name.js';
import type { RuleValue } from '../broker/rules/rule-value.js';
import type { MessageReader } from '../broker/store/message-reader.js';
import { asBuffer } from '../codec/types.js';
import { endOfValue, givenField, isStringAt, itemOffsets, payloadAt, readEntries } from './encoded-values.js';
import { jmsIdOf } from './jms-id.js';
import { HEADER_FIELD, PROPERTIES_FIELD } from './message-format.js';
import { idTextAt, readHead } from './read-message.js';
import { encodeRuleValue, ruleValueAt } from './rule-values.js';
import { findHead, type HeadSections, type Section } from './sections.js';

/** The bytes of a correlation id that a record holds. It has no limit of its own. */
const MAX_CORRELATION_ID_BYTES = 128;

/** AMQP 3.2.1 */
const DEFAULT_PRIORITY = 4n;
/** A data section without bytes: the SDKs give it to an application as an empty body. */
const EMPTY: Uint8Array = Buffer.from('005375a000', 'hex');

/** Reads messages that passed `readMessage` when they were sent; it never looks behind their head. */
export const contentReader = {
  empty: EMPTY,
  read: (content) => {
    const bytes = asBuffer(content);
    const head = findHead(bytes);
    const message = readHead(bytes, head, content);
    return { ...message, properties: new ContentProperties(message, head, bytes) };
  },
  propertiesOf: (message) => {
    const bytes = asBuffer(message.content);
    return new ContentProperties(message, findHead(bytes), bytes);
  },
  correlationId: (content, offset) => correlationIdAt(asBuffer(content), offset),
  shownId: jmsIdOf,
  decode: (value) => (typeof value === 'string' ? value : ruleValueAt(asBuffer(value), 0)),
  encode: encodeRuleValue,
} satisfies MessageReader;

function correlationIdAt(bytes: Buffer, offset: number): string | undefined {
  if (endOfValue(bytes, offset) - offset <= MAX_CORRELATION_ID_BYTES) return idTextAt(bytes, offset);
  if (!isStringAt(bytes, offset)) return undefined;
  return payloadAt(bytes, offset).toString('utf8', 0, MAX_CORRELATION_ID_BYTES);
}

/** Positions in the properties section (MSG-10). */
const FIELD_OF: { readonly [property in SystemProperty]?: number } = {
  ContentType: PROPERTIES_FIELD.contentType,
  CorrelationId: PROPERTIES_FIELD.correlationId,
  Label: PROPERTIES_FIELD.subject,
  MessageId: PROPERTIES_FIELD.messageId,
  ReplyTo: PROPERTIES_FIELD.replyTo,
  ReplyToSessionId: PROPERTIES_FIELD.replyToGroupId,
  SessionId: PROPERTIES_FIELD.groupId,
  To: PROPERTIES_FIELD.to,
};

/** The properties of a stored message as rules see them: each is decoded on first use, and only once. */
class ContentProperties implements MessageView {
  readonly #message: NewMessage;
  readonly #bytes: Buffer;
  readonly #header: Section | undefined;
  readonly #properties: Section | undefined;
  readonly #applicationProperties: Section | undefined;
  #offsets: readonly number[] | undefined;
  /** Decoded fields of the properties section, by position. */
  readonly #fields: (RuleValue | undefined)[] = [];
  #user: UserProperties | undefined;

  constructor(message: NewMessage, head: HeadSections, bytes: Buffer) {
    const { header, properties, applicationProperties } = head;
    this.#message = message;
    this.#header = header;
    this.#bytes = bytes;
    this.#properties = properties;
    this.#applicationProperties = applicationProperties;
  }

  /** SQL-07, SQL-12 */
  system(property: SystemProperty): RuleValue {
    const index = FIELD_OF[property];
    if (index !== undefined) return this.#field(index);
    const { partitionKey, viaPartitionKey, scheduledEnqueueTime, timeToLiveMs } = this.#message;
    switch (property) {
      case 'PartitionKey':
        return partitionKey ?? null;
      case 'ViaPartitionKey':
        return viaPartitionKey ?? null;
      case 'ScheduledEnqueueTimeUtc':
        return scheduledEnqueueTime === undefined ? null : { kind: 'timestamp', ms: scheduledEnqueueTime };
      case 'Size':
        return BigInt(this.#bytes.length);
      case 'TimeToLive':
        return timeToLiveMs === undefined ? null : BigInt(timeToLiveMs);
      default:
        return null; // only the broker knows it
    }
  }

  user(name: string): RuleValue | undefined {
    return this.#userProperties().get(name);
  }

  has(name: string): boolean {
    return this.#userProperties().has(name);
  }

  spelling(name: string): string | undefined {
    return this.#userProperties().find(name);
  }

  /** JMS-84 */
  header(field: HeaderField): RuleValue {
    switch (field) {
      case 'messageId':
        return jmsIdOf(this.#field(PROPERTIES_FIELD.messageId));
      case 'correlationId': {
        const id = this.#field(PROPERTIES_FIELD.correlationId);
        return typeof id === 'string' ? id : jmsIdOf(id);
      }
      case 'userId': {
        const id = this.#field(PROPERTIES_FIELD.userId);
        return typeof id === 'object' && id?.kind === 'other'
          ? payloadAt(id.encoded, 0).toString('utf8')
          : id;
      }
      case 'creationTime':
        return this.#field(PROPERTIES_FIELD.creationTime);
      case 'groupSequence':
        return this.#field(PROPERTIES_FIELD.groupSequence);
      case 'durable':
        return this.#headerField(HEADER_FIELD.durable);
      case 'priority':
        return this.#headerField(HEADER_FIELD.priority) ?? DEFAULT_PRIORITY;
      default:
        return field satisfies never;
    }
  }

  #headerField(index: number): RuleValue {
    if (this.#header === undefined) return null;
    const offset = givenField(this.#bytes, itemOffsets(this.#bytes, this.#header.value), index);
    return offset === undefined ? null : ruleValueAt(this.#bytes, offset);
  }

  #field(index: number): RuleValue {
    const known = this.#fields[index];
    if (known !== undefined) return known;
    const value = this.#readField(index);
    this.#fields[index] = value;
    return value;
  }

  #readField(index: number): RuleValue {
    if (this.#properties === undefined) return null;
    this.#offsets ??= itemOffsets(this.#bytes, this.#properties.value);
    const offset = givenField(this.#bytes, this.#offsets, index);
    return offset === undefined ? null : ruleValueAt(this.#bytes, offset);
  }

  #userProperties(): UserProperties {
    this.#user ??= readUserProperties(this.#bytes, this.#applicationProperties);
    return this.#user;
  }
}

/** A key that is not text names no property. */
function readUserProperties(bytes: Buffer, section: Section | undefined): UserProperties {
  const values = new Map<string, RuleValue>();
  for (const { name, value } of section === undefined ? [] : readEntries(bytes, section.value)) {
    if (name !== undefined) values.set(name, ruleValueAt(bytes, value));
  }
  return new UserProperties(values);
}
