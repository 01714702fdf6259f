// A message as the rules of a subscription see it, and a copy that their actions change (TOP-07).

import type { Instant } from '../contract/instant.js';
import type { PropertyChange, SystemChanges } from '../contract/message-properties.js';
import type { EditableMessage, HeaderField, MessageView } from '../rules/message-view.js';
import type { SettableProperty, SystemProperty } from '../rules/property-name.js';
import type { RuleValue } from '../rules/rule-value.js';
import type { MessageReader } from './message-reader.js';

/** Properties that the broker has given a message that arrived at a topic. */
type Arrival = {
  readonly sequenceNumber: number;
  readonly enqueuedTime: Instant;
  /** Set on a forwarded message. */
  readonly enqueuedSequenceNumber: number | undefined;
  readonly deadLetterSource?: string | undefined;
};

/** Reads the content when a rule first reads one of its properties. */
export class ArrivedMessage implements MessageView {
  readonly #arrival: Arrival;
  readonly #open: () => MessageView;
  #properties: MessageView | undefined;

  constructor(arrival: Arrival, open: () => MessageView) {
    this.#arrival = arrival;
    this.#open = open;
  }

  spelling(name: string): string | undefined {
    return this.#read().spelling(name);
  }

  header(field: HeaderField): RuleValue {
    return this.#read().header(field);
  }

  system(property: SystemProperty): RuleValue {
    const { sequenceNumber, enqueuedTime, enqueuedSequenceNumber, deadLetterSource } = this.#arrival;
    // SQL-07
    switch (property) {
      case 'SequenceNumber':
        return BigInt(sequenceNumber);
      case 'EnqueuedTimeUtc':
        return { kind: 'timestamp', ms: enqueuedTime };
      case 'EnqueuedSequenceNumber':
        return enqueuedSequenceNumber === undefined ? null : BigInt(enqueuedSequenceNumber);
      case 'DeadLetterSource':
        return deadLetterSource ?? null;
      case 'DeliveryCount':
      case 'State':
        return 0n;
      default:
        return this.#read().system(property);
    }
  }

  user(name: string): RuleValue | undefined {
    return this.#read().user(name);
  }

  has(name: string): boolean {
    return this.#read().has(name);
  }

  #read(): MessageView {
    this.#properties ??= this.#open();
    return this.#properties;
  }
}

type Field = keyof SystemChanges;

const FIELDS: Readonly<Record<SettableProperty, Field>> = {
  ContentType: 'contentType',
  CorrelationId: 'correlationId',
  Label: 'subject',
  MessageId: 'messageId',
  ReplyTo: 'replyTo',
  ReplyToSessionId: 'replyToSessionId',
  ScheduledEnqueueTimeUtc: 'scheduledEnqueueTime',
  SessionId: 'sessionId',
  TimeToLive: 'timeToLiveMs',
  To: 'to',
};

/** A copy with the changes of one action. The message and other copies do not change. */
export class EditedCopy implements EditableMessage {
  readonly #original: MessageView;
  readonly #reader: MessageReader;
  /** Changed application properties; undefined means removed. */
  readonly #user = new Map<string, RuleValue | undefined>();
  readonly #system = new Map<SettableProperty, RuleValue>();

  constructor(original: MessageView, reader: MessageReader) {
    this.#original = original;
    this.#reader = reader;
  }

  system(property: SystemProperty): RuleValue {
    const changed = this.#system.get(property as SettableProperty);
    return changed === undefined ? this.#original.system(property) : changed;
  }

  header(field: HeaderField): RuleValue {
    const changed = this.#system.get(field === 'messageId' ? 'MessageId' : 'CorrelationId');
    const isId = field === 'messageId' || field === 'correlationId';
    return isId && changed !== undefined ? this.#idOf(field, changed) : this.#original.header(field);
  }

  user(name: string): RuleValue | undefined {
    const found = this.spelling(name);
    if (found === undefined) return undefined;
    return this.#user.has(found) ? this.#user.get(found) : this.#original.user(found);
  }

  has(name: string): boolean {
    return this.spelling(name) !== undefined;
  }

  setUser(name: string, value: RuleValue): void {
    this.#user.set(this.spelling(name) ?? name, value);
  }

  removeUser(name: string): void {
    const found = this.spelling(name);
    if (found !== undefined) this.#user.set(found, undefined);
  }

  setSystem(property: SettableProperty, value: RuleValue): void {
    this.#system.set(property, value);
  }

  /** Applies the changes made before the message arrived here. */
  apply(changes: readonly PropertyChange[] = [], system: SystemChanges = {}): void {
    for (const { name, value } of changes) {
      this.#user.set(name, value === null ? undefined : this.#reader.decode(value));
    }
    for (const property of Object.keys(FIELDS) as SettableProperty[]) {
      const value = system[FIELDS[property]];
      if (value !== undefined) this.#system.set(property, asRuleValue(property, value));
    }
  }

  /** SQL-05: prefers the exact spelling, both among set and sent properties. */
  spelling(name: string): string | undefined {
    const sent = this.#original.spelling(name);
    if (this.#isSet(name) || (sent === name && !this.#user.has(name))) return name;
    const lower = name.toLowerCase();
    for (const set of this.#user.keys()) if (set.toLowerCase() === lower && this.#isSet(set)) return set;
    return sent === undefined || this.#user.has(sent) ? undefined : sent;
  }

  get propertyChanges(): readonly PropertyChange[] {
    return [...this.#user].map(([name, value]) => ({
      name,
      value: value === undefined ? null : this.#reader.encode(value),
    }));
  }

  get systemChanges(): SystemChanges | undefined {
    if (this.#system.size === 0) return undefined;
    return Object.fromEntries([...this.#system].map(([property, value]) => [FIELDS[property], plain(value)]));
  }

  #idOf(field: 'messageId' | 'correlationId', id: RuleValue): RuleValue {
    // A correlation id that is a text is shown as it is.
    return field === 'correlationId' ? id : this.#reader.shownId(id);
  }

  /** Whether the property was set and not removed since. */
  #isSet(name: string): boolean {
    return this.#user.get(name) !== undefined;
  }
}

function asRuleValue(property: SettableProperty, value: string | number | null): RuleValue {
  if (typeof value !== 'number') return value;
  return property === 'TimeToLive' ? BigInt(value) : { kind: 'timestamp', ms: value };
}

/** Converts a value that EditableMessage accepts: a text, a duration in milliseconds or an instant. */
function plain(value: RuleValue): string | number | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'object' && value.kind === 'timestamp' ? value.ms : null;
}
