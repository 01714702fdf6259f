// Encodes the changes that settlements and the actions of rules have made to a message after it was sent. They are part of its row.

import type { PropertyChange, SystemChanges } from '../../../broker/contract/message-properties.js';
import { isInstant, isObject, isTextOrNull } from './json-row.js';

/** Returns JSON. */
export function writePropertyChanges(changes: readonly PropertyChange[]): string {
  return JSON.stringify(changes.map(writeChange));
}

/** Returns undefined if the value is not a list of property changes. */
export function readPropertyChanges(value: unknown): PropertyChange[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const changes = value.map(readChange);
  return changes.every((change) => change !== undefined) ? changes : undefined;
}

function writeChange({ name, value }: PropertyChange): object {
  if (value === null) return { name, removed: true }; // ACT-01
  if (typeof value === 'string') return { name, text: value };
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return { name, bytes: bytes.toString('base64') };
}

function readChange(value: unknown): PropertyChange | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  if (typeof value.text === 'string') return { name: value.name, value: value.text };
  if (value.removed === true) return { name: value.name, value: null };
  if (typeof value.bytes !== 'string') return undefined;
  return { name: value.name, value: new Uint8Array(Buffer.from(value.bytes, 'base64')) };
}

type SystemChangeName = keyof SystemChanges;

const TEXTS: ReadonlySet<string> = new Set<SystemChangeName>([
  'contentType',
  'correlationId',
  'messageId',
  'replyTo',
  'replyToSessionId',
  'sessionId',
  'subject',
  'to',
]);
const NUMBERS: ReadonlySet<string> = new Set<SystemChangeName>(['timeToLiveMs', 'scheduledEnqueueTime']);

/** Returns JSON. Null means a cleared property (ACT-04), so an endless time to live is `{"never":true}`. */
export function writeSystemChanges(changes: SystemChanges): string {
  return JSON.stringify(changes, (_name, value) =>
    value === Number.POSITIVE_INFINITY ? { never: true } : value,
  );
}

/** Returns undefined if the value is not an object of system changes. */
export function readSystemChanges(value: unknown): SystemChanges | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).map(([name, inner]) => [name, readEndless(inner)] as const);
  const isKnown = entries.every(([name, inner]) =>
    NUMBERS.has(name) ? isNumberOrNull(inner) : TEXTS.has(name) && isTextOrNull(inner),
  );
  return isKnown ? Object.fromEntries(entries) : undefined;
}

function readEndless(value: unknown): unknown {
  return isObject(value) && value.never === true ? Number.POSITIVE_INFINITY : value;
}

function isNumberOrNull(value: unknown): value is number | null {
  return value === null || value === Number.POSITIVE_INFINITY || isInstant(value);
}
