// Which call to send or receive a request is, by its verb and the shape of its path; case does not matter in words of ours.

import type { Head } from './receive-message.js';
import type { Settling } from './settle-message.js';

export type RuntimeCall =
  | { readonly kind: 'send'; readonly entityPath: string }
  | ({ readonly kind: 'receive' } & Head)
  | ({ readonly kind: 'settle' } & Settling)
  /** The place of a locked message, but for the token. */
  | { readonly kind: 'no-token'; readonly token: string }
  /** A POST to anything else. */
  | { readonly kind: 'no-call' };

const GUID = /^(?:[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;
const GESTURES: Readonly<Record<string, Settling['gesture']>> = {
  POST: 'renew',
  PUT: 'unlock',
  DELETE: 'complete',
};

/** Undefined: it is none. An entity may be called `x/messages`, and what is not clearly ours is about an entity. */
export function readRuntimeCall(
  { method, headers }: Request,
  path: readonly string[],
): RuntimeCall | undefined {
  const gesture = GESTURES[method];
  // With a description it would be an entity of that name that is created, or changed.
  if (gesture === undefined || (method === 'PUT' && hasDescription(headers))) return undefined;
  const call = (method === 'POST' ? readSend(path) : undefined) ?? readHead(method, path);
  if (call !== undefined) return call;
  const place = readPlace(path);
  if (place !== undefined) {
    const { entityPath, token } = place;
    if (GUID.test(token)) {
      return { kind: 'settle', entityPath, lockToken: token.replaceAll('-', '').toLowerCase(), gesture };
    }
    if (method !== 'DELETE') return { kind: 'no-token', token };
  }
  return method === 'POST' ? { kind: 'no-call' } : undefined;
}

function readSend(path: readonly string[]): RuntimeCall | undefined {
  return path.length > 1 && isWord(path.at(-1), 'messages')
    ? { kind: 'send', entityPath: joined(path, -1) }
    : undefined;
}

function readHead(method: string, path: readonly string[]): RuntimeCall | undefined {
  if (method === 'PUT' || path.length < 3) return undefined;
  if (!isWord(path.at(-2), 'messages') || !isWord(path.at(-1), 'head')) return undefined;
  const receiveMode = method === 'POST' ? 'peek-lock' : 'receive-and-delete';
  return { kind: 'receive', entityPath: joined(path, -2), receiveMode };
}

/** `entity/messages/<id>/<token>`; an id that a client chose may have slashes in it. */
function readPlace(path: readonly string[]): { entityPath: string; token: string } | undefined {
  const at = path.slice(0, -2).findLastIndex((name) => isWord(name, 'messages'));
  const token = path.at(-1);
  return at < 1 || token === undefined || isName(path, at)
    ? undefined
    : { entityPath: path.slice(0, at).join('/'), token };
}

/** Whether `messages` is the end of a topic's name, which its subscriptions follow, or the name of a subscription with its rules. */
function isName(path: readonly string[], at: number): boolean {
  const next = path[at + 1];
  return isWord(next, 'subscriptions') || (isWord(path[at - 1], 'subscriptions') && isWord(next, 'rules'));
}

function hasDescription(headers: Headers): boolean {
  return /xml/i.test(headers.get('content-type') ?? '');
}

function isWord(name: string | undefined, word: string): boolean {
  return name?.toLowerCase() === word;
}

function joined(path: readonly string[], end: number): string {
  return path.slice(0, end).join('/');
}
