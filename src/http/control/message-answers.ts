// Converts inspected messages to answers of the control interface, and messages in its requests to what a sender would send.

import type {
  FilterPart,
  InspectedMessage,
  RuleOutcome,
  TestedRule,
} from '../../broker/contract/inspection.js';
import type { Instant } from '../../broker/contract/instant.js';
import type { ImportedMessage } from '../../broker/contract/management.js';
import type { NewMessage, PropertyChange } from '../../broker/contract/message-properties.js';
import { DecodeError } from '../../codec/decode-error.js';
import { encodeMessage } from '../../content/encode-message.js';
import { type MessageLine, readImported } from '../../content/imported-message.js';
import { sectionsOf } from '../../content/inspect-content.js';
import { NO_PROPERTIES, type SentParts } from '../../content/message-parts.js';
import { readMessage } from '../../content/read-message.js';
import { jsonMessage } from '../../content/shown-message.js';
import { encodeTyped, typedValueAt } from '../../content/typed-value.js';
import { RequestProblem } from '../error-response.js';
import type { ImportedLine, SentMessage, SentProperty } from './control-requests.js';
import type {
  FilterPartAnswer,
  MessageAnswer,
  RawMessageAnswer,
  TestedRulesAnswer,
} from './control-schemas.js';
import { lockAnswer, optionalTime } from './entity-answers.js';

export function messageAnswer(message: InspectedMessage, content: Uint8Array): MessageAnswer {
  const { lock } = message;
  const shown = jsonMessage(message, content) as Omit<MessageAnswer, 'lock'>;
  return lock === undefined ? shown : { ...shown, lock: lockAnswer(lock) };
}

export function rawMessageAnswer(message: InspectedMessage, content: Uint8Array): RawMessageAnswer {
  const base64 = Buffer.from(content).toString('base64');
  return { ...messageAnswer(message, content), raw: { base64, sections: [...sectionsOf(content)] } };
}

/** Throws a RequestProblem that says which message of the request cannot be read. */
export function importedMessage(line: ImportedLine, index: number, now: Instant): ImportedMessage {
  try {
    return readImported(line as MessageLine, now);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new RequestProblem(400, `Message ${index} of the request cannot be read: ${error.message}.`);
  }
}

type TypedAnswer = MessageAnswer['applicationProperties'][string];

/** Throws a RequestProblem for a property whose value does not fit its type. */
export function newMessage(given: SentMessage, now: Instant): NewMessage {
  const { body, bodyBase64, applicationProperties = {}, scheduledEnqueueTime, ...properties } = given;
  const parts: SentParts = {
    properties: {
      ...NO_PROPERTIES,
      ...properties,
      scheduledEnqueueTime: scheduledEnqueueTime === undefined ? undefined : Date.parse(scheduledEnqueueTime),
      timeToLiveMs: properties.timeToLiveMs && Math.max(1, Math.round(properties.timeToLiveMs)),
    },
    applicationProperties: Object.entries(applicationProperties).map(([name, value]) => {
      return { name, value: sentValue(name, value) };
    }),
    body: bodyBase64 === undefined ? bodyBytes(body) : Buffer.from(bodyBase64, 'base64'),
  };
  return readMessage(encodeMessage(parts, now));
}

function bodyBytes(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array();
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function sentValue(name: string, given: SentProperty): SentParts['applicationProperties'][number]['value'] {
  if (typeof given === 'number') return Number.isSafeInteger(given) ? BigInt(given) : given;
  if (typeof given !== 'object' || given === null) return given;
  const encoded = encodeTyped(given.type, given.value, given.descriptor);
  if (encoded !== undefined) return { kind: 'other', encoded };
  const seen = JSON.stringify(given.value).slice(0, 100);
  throw new RequestProblem(
    400,
    `The application property '${name.slice(0, 100)}' must be a value of type ${given.type}, not ${seen}.`,
  );
}

function partAnswer({ text, outcome, because, parts }: FilterPart): FilterPartAnswer {
  return { text, outcome, because, parts: parts.map(partAnswer) };
}

export function testedRuleAnswer(tested: TestedRule): TestedRulesAnswer['rules'][number] {
  const { subscriptionName: subscription, ruleName: rule, outcome, filter } = tested;
  const common = { subscription, rule, outcome: outcome.kind, filter: partAnswer(filter) };
  if (outcome.kind === 'error') {
    const { reason, description } = outcome;
    return { ...common, error: { reason, description } };
  }
  const changes = outcome.kind === 'matched' ? outcome.changes : undefined;
  return { ...common, changes: changes && changesAnswer(changes) };
}

type Changes = NonNullable<Extract<RuleOutcome, { readonly kind: 'matched' }>['changes']>;

function changesAnswer({ propertyChanges = [], systemChanges = {} }: Changes) {
  const { scheduledEnqueueTime: time } = systemChanges;
  const properties = { ...systemChanges, scheduledEnqueueTime: time === null ? null : optionalTime(time) };
  return {
    properties: Object.fromEntries(
      Object.entries(properties).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    applicationProperties: Object.fromEntries(propertyChanges.map(changedProperty)),
  };
}

function changedProperty({ name, value }: PropertyChange): [string, TypedAnswer | null] {
  if (value === null) return [name, null];
  if (typeof value === 'string') return [name, { type: 'string', value }];
  return [name, typedValueAt(Buffer.from(value), 0) as TypedAnswer];
}
