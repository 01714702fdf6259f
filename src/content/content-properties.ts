// The properties of a stored content as rules see them: each is decoded when it is first asked for, and only once.

import type { NewMessage } from '../broker/message/message-properties.js';
import type { SentProperties } from '../broker/message/message-reader.js';
import type { RuleValue } from '../broker/rules/rule-value.js';
import type { SystemProperty } from '../broker/rules/system-property.js';
import { UserProperties } from '../broker/rules/user-properties.js';
import { givenField, itemOffsets, readEntries } from './items.js';
import { PLACE } from './property-places.js';
import { ruleValueAt } from './rule-values.js';
import type { Head, Section } from './sections.js';

/** MSG-10 */
const PLACE_OF: { readonly [property in SystemProperty]?: number } = {
  ContentType: PLACE.contentType,
  CorrelationId: PLACE.correlationId,
  Label: PLACE.subject,
  MessageId: PLACE.messageId,
  ReplyTo: PLACE.replyTo,
  ReplyToSessionId: PLACE.replyToGroupId,
  SessionId: PLACE.groupId,
  To: PLACE.to,
};

export class ContentProperties implements SentProperties {
  readonly #message: NewMessage;
  readonly #bytes: Buffer;
  readonly #properties: Section | undefined;
  readonly #applicationProperties: Section | undefined;
  #offsets: readonly number[] | undefined;
  /** Of the properties section, by their places. */
  readonly #fields: (RuleValue | undefined)[] = [];
  #user: UserProperties | undefined;

  constructor(message: NewMessage, { properties, applicationProperties }: Head, bytes: Buffer) {
    this.#message = message;
    this.#bytes = bytes;
    this.#properties = properties;
    this.#applicationProperties = applicationProperties;
  }

  /** SQL-07, SQL-12 */
  system(property: SystemProperty): RuleValue {
    const place = PLACE_OF[property];
    if (place !== undefined) return this.#field(place);
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
        return null; // the broker alone knows it
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

  #field(place: number): RuleValue {
    const known = this.#fields[place];
    if (known !== undefined) return known;
    const value = this.#readField(place);
    this.#fields[place] = value;
    return value;
  }

  #readField(place: number): RuleValue {
    if (this.#properties === undefined) return null;
    this.#offsets ??= itemOffsets(this.#bytes, this.#properties.value);
    const offset = givenField(this.#bytes, this.#offsets, place);
    return offset === undefined ? null : ruleValueAt(this.#bytes, offset);
  }

  #userProperties(): UserProperties {
    this.#user ??= readUserProperties(this.#bytes, this.#applicationProperties);
    return this.#user;
  }
}

/** A key that is no text names no property. */
function readUserProperties(bytes: Buffer, section: Section | undefined): UserProperties {
  const entries = section === undefined ? [] : readEntries(bytes, section.value);
  return new UserProperties(
    entries.flatMap(({ name, value }): [string, RuleValue][] =>
      name === undefined ? [] : [[name, ruleValueAt(bytes, value)]],
    ),
  );
}
