// A stored message whose parts are decoded when they are asked for, for those who look through many: the ids of a message cost a
// tenth of the whole message. Its values are those of `jsonMessage`.

import type { InspectedMessage } from '../broker/contract/inspection.js';
import { isoTime } from '../broker/contract/instant.js';
import type { SystemChanges } from '../broker/contract/message-properties.js';
import { asBuffer } from '../codec/types.js';
import { bodyAsJson, type JsonBody } from './body-json.js';
import { bodyOf, typedEntriesIn } from './decode-message.js';
import { givenField, itemOffsets } from './encoded-values.js';
import type { FilteredMessage } from './message-filter.js';
import { PROPERTIES_FIELD } from './message-format.js';
import { textOfField } from './message-parts.js';
import { findHead, type HeadSections } from './sections.js';
import { type TypedValue, typedValueAt } from './typed-value.js';

export class MessageOnDemand implements FilteredMessage {
  readonly #message: InspectedMessage;
  readonly #content: Buffer;
  readonly #head: HeadSections;
  #offsets: readonly number[] | undefined;
  #applicationProperties: Readonly<Record<string, TypedValue>> | undefined;
  #body: JsonBody | undefined;

  constructor(message: InspectedMessage, content: Uint8Array) {
    this.#message = message;
    this.#content = asBuffer(content);
    this.#head = findHead(content);
  }

  get sequenceNumber(): number {
    return this.#message.properties.sequenceNumber;
  }

  get enqueuedTime(): string {
    return isoTime(this.#message.properties.enqueuedTime) ?? '';
  }

  get deliveryCount(): number {
    return this.#message.properties.deliveryCount;
  }

  get sizeBytes(): number {
    return this.#message.sizeBytes;
  }

  get lastHolder(): string | undefined {
    return this.#message.details?.lastHolder;
  }

  get messageId(): string | undefined {
    const { generatedMessageId } = this.#message.properties;
    return generatedMessageId ?? this.#field(PROPERTIES_FIELD.messageId);
  }

  get subject(): string | undefined {
    return this.#changedField('subject', PROPERTIES_FIELD.subject);
  }

  get correlationId(): string | undefined {
    return this.#changedField('correlationId', PROPERTIES_FIELD.correlationId);
  }

  get sessionId(): string | undefined {
    return this.#changedField('sessionId', PROPERTIES_FIELD.groupId);
  }

  get deadLetterReason(): string | undefined {
    return this.#textOf('DeadLetterReason');
  }

  get deadLetterErrorDescription(): string | undefined {
    return this.#textOf('DeadLetterErrorDescription');
  }

  get applicationProperties(): Readonly<Record<string, TypedValue>> {
    this.#applicationProperties ??= this.#readProperties();
    return this.#applicationProperties;
  }

  get body(): JsonBody {
    this.#body ??= bodyAsJson(bodyOf(this.#content));
    return this.#body;
  }

  /** ACT-04: the action of a rule may have changed or cleared it. */
  #changedField(name: 'subject' | 'correlationId' | 'sessionId', index: number): string | undefined {
    const changes: SystemChanges | undefined = this.#message.properties.systemChanges;
    const changed = changes?.[name];
    return changed === undefined ? this.#field(index) : (changed ?? undefined);
  }

  #field(index: number): string | undefined {
    const { properties } = this.#head;
    if (properties === undefined) return undefined;
    this.#offsets ??= itemOffsets(this.#content, properties.value);
    const offset = givenField(this.#content, this.#offsets, index);
    return offset === undefined ? undefined : textOfField(this.#content, offset);
  }

  #textOf(name: string): string | undefined {
    const properties = this.applicationProperties;
    const value = Object.hasOwn(properties, name) ? properties[name]?.value : undefined;
    return typeof value === 'string' ? value : undefined;
  }

  /** SET-07, ACT-01: the sender's, changed by settlements and the actions of rules. */
  #readProperties(): Readonly<Record<string, TypedValue>> {
    const values = new Map(typedEntriesIn(this.#content, this.#head.applicationProperties));
    for (const { name, value } of this.#message.properties.propertyChanges ?? []) {
      if (value === null) values.delete(name);
      else if (typeof value === 'string') values.set(name, { type: 'string', value });
      else values.set(name, typedValueAt(asBuffer(value), 0));
    }
    return Object.fromEntries(values);
  }
}
