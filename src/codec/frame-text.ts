// A frame as one line for people: its performative and the fields that its writer set. It never shows a payload or a SASL response, and
// only eight digits of a delivery tag, because a tag is a lock token.

import { decodeState } from './delivery-state.js';
import type { Field } from './fields.js';
import type { Frame } from './frames.js';
import {
  type AmqpError,
  decodeError,
  fieldsOfPerformative,
  type Performative,
  readPerformative,
} from './performatives.js';
import { bytesOf, entriesOf, itemsOf } from './read-value.js';
import { decodeTerminus } from './terminus.js';
import type { AmqpValue } from './types.js';

/** So many characters of a text are shown. */
const MAX_TEXT = 100;
/** So many characters of a map are shown. */
const MAX_MAP_TEXT = 400;
/** So many digits of a delivery tag or transaction id are shown. */
const SHOWN_DIGITS = 8;
/** A tag up to this size is shown whole, because it is too short for a lock token. */
const SHORT_TAG_BYTES = 4;
const GUID_BYTES = 16;
/** Texts that need no quotes. */
const PLAIN = /^[\w.:/$@+*-]+$/;
/** Texts that may be a token, a key, or a URL with a password. Clients put them in any field. */
export const SECRET_TEXT = new RegExp(
  [
    'SharedAccess|access[ _-]?key|(?:primary|secondary)[ _-]?key',
    String.raw`(?:\b|%(?:25)*[0-9a-f]{2})sig["'\s\\]*(?:[=:]|%(?:25)*3[AD])|(?:\b|%(?:25)*[0-9a-f]{2})eyJ[\w-]|\bBearer\b`,
    String.raw`(?::|%(?:25)*3A)(?:\/\/|(?:%(?:25)*2F){2})(?:(?!:|%(?:25)*3A)[^\s/]){0,200}(?::|%(?:25)*3A)[^]{1,1000}(?:@|%(?:25)*40)`,
  ].join('|'),
  'i',
);
/** The first 2,000 characters are searched for secrets. One that is cut off at the end is not recognised. */
const SEARCHED = 2000;

type FrameText = {
  /** Undefined for an empty frame, which only shows that its writer is still there. */
  readonly performative: Performative['kind'] | undefined;
  readonly payloadBytes: number;
  readonly text: string;
};

/** Throws DecodeError for a frame without a performative. */
export function describeFrame({ body }: Frame): FrameText {
  if (body.length === 0) return { performative: undefined, payloadBytes: 0, text: 'empty frame' };
  const { performative, next } = readPerformative(body);
  const { kind } = performative;
  const values = performative as unknown as Readonly<Record<string, unknown>>;
  const fields = fieldsOfPerformative(kind).flatMap((field) => {
    const value = values[field.name];
    if (value === undefined || value === field.default) return [];
    return [`${hyphened(field.name)}=${fieldText(kind, field, value)}`];
  });
  const payloadBytes = body.length - next;
  const payload = kind === 'transfer' || payloadBytes > 0 ? [`${payloadBytes} bytes`] : [];
  return { performative: kind, payloadBytes, text: [kind, ...fields, ...payload].join(' ') };
}

function fieldText(kind: Performative['kind'], { name, type }: Field, value: unknown): string {
  if (name === 'role') return value === true ? 'receiver' : 'sender';
  switch (type) {
    case 'binary':
      return kind.startsWith('sasl-') ? sizeOf(value as Buffer) : tagText(value as Buffer);
    case 'raw':
      return readable(() => encodedText(name, value as Buffer));
    case 'map':
      return shortened(valueText(value as AmqpValue), MAX_MAP_TEXT);
    case 'symbols':
      return `[${(value as readonly string[]).map(quoted).join(' ')}]`;
    default:
      return typeof value === 'string' ? quoted(value) : String(value);
  }
}

function encodedText(name: string, bytes: Buffer): string {
  switch (name) {
    case 'source':
    case 'target':
      return terminusText(bytes);
    case 'state':
      return stateText(decodeState(bytes));
    default:
      return errorText(decodeError(bytes));
  }
}

/** The address of a source or target, and what the link wants from it. */
function terminusText(bytes: Buffer): string {
  const terminus = decodeTerminus(bytes);
  if (terminus === undefined) return '';
  const { kind, address, durable, dynamic, distributionMode, filter, capabilities } = terminus;
  const details = [
    ...(durable === 0 ? [] : [`durable=${durable}`]),
    ...(dynamic ? ['dynamic'] : []),
    ...(distributionMode === undefined ? [] : [`distribution-mode=${quoted(distributionMode)}`]),
    ...(filter === undefined ? [] : [`filter=${shortened(valueText(filter), MAX_MAP_TEXT)}`]),
    ...(capabilities === undefined ? [] : [`capabilities=[${capabilities.map(quoted).join(' ')}]`]),
  ];
  const node = kind === 'coordinator' ? kind : quoted(address ?? '');
  return details.length === 0 ? node : `${node}(${details.join(' ')})`;
}

function stateText(state: ReturnType<typeof decodeState>): string {
  if (state === undefined) return '';
  switch (state.kind) {
    case 'rejected':
      return state.error === undefined ? state.kind : `rejected(${errorText(state.error)})`;
    case 'modified': {
      const marks = [
        ...(state.deliveryFailed ? ['delivery-failed'] : []),
        ...(state.undeliverableHere ? ['undeliverable-here'] : []),
      ];
      return marks.length === 0 ? state.kind : `modified(${marks.join(' ')})`;
    }
    case 'declared':
      return `declared(txn-id=${tagText(state.transactionId)})`;
    case 'transactional': {
      const outcome = state.outcome === undefined ? '' : ` ${stateText(state.outcome)}`;
      return `transactional(txn-id=${tagText(state.transactionId)}${outcome})`;
    }
    default:
      return state.kind;
  }
}

function errorText(error: AmqpError | undefined): string {
  if (error === undefined) return '';
  const { condition, description } = error;
  return description === undefined
    ? quoted(condition)
    : `${quoted(condition)} ${JSON.stringify(cut(description))}`;
}

/** Shows a decoded value: scalars and the entries of maps as they are; binaries and longer lists only by their size. */
function valueText(value: AmqpValue): string {
  const entries = entriesOf(value);
  if (entries !== undefined) {
    return `{${entries.map(([key, one]) => `${valueText(key)}=${valueText(one)}`).join(' ')}}`;
  }
  const items = itemsOf(value);
  if (items !== undefined) return `[${items.length}]`;
  const bytes = bytesOf(value);
  if (bytes !== undefined) return sizeOf(bytes);
  return typeof value.value === 'string' ? quoted(value.value) : String(value.value);
}

/** Shows a tag as digits in the order of a lock token's text. .NET writes the first half of a guid in the byte order of its machine. */
function tagText(bytes: Uint8Array): string {
  const tag = Buffer.from(bytes);
  if (tag.length <= SHORT_TAG_BYTES) return tag.length === 0 ? 'empty' : tag.toString('hex');
  const first = tag.subarray(0, SHOWN_DIGITS / 2);
  return `${(tag.length === GUID_BYTES ? first.reverse() : first).toString('hex')}...`;
}

function sizeOf(bytes: Uint8Array): string {
  return `(${bytes.length} bytes)`;
}

function quoted(text: string): string {
  if (isSecret(text)) return '(hidden)';
  return text.length <= MAX_TEXT && PLAIN.test(text) ? text : JSON.stringify(cut(text));
}

function cut(text: string): string {
  if (isSecret(text)) return '(hidden)';
  return shortened(text, MAX_TEXT);
}

function isSecret(text: string): boolean {
  return SECRET_TEXT.test(text.slice(0, SEARCHED));
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}

function readable(describe: () => string): string {
  try {
    return describe();
  } catch {
    return 'unreadable';
  }
}

/** The name of a field as AMQP writes it: `link-credit`. */
function hyphened(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
