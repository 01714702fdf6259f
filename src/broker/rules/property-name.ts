// Property names in rules: system properties after `sys.`, application properties otherwise (SQL-01, SQL-07).

import { RuleEvaluationError } from './rule-value.js';
import type { SqlCursor } from './sql-lexer.js';

/** SQL-07 */
const SYSTEM_PROPERTIES = [
  'ContentType',
  'CorrelationId',
  'DeadLetterSource',
  'DeliveryCount',
  'EnqueuedSequenceNumber',
  'EnqueuedTimeUtc',
  'ExpiresAtUtc',
  'ForcePersistence',
  'Label',
  'LockedUntilUtc',
  'LockToken',
  'MessageId',
  'PartitionKey',
  'ReplyTo',
  'ReplyToSessionId',
  'ScheduledEnqueueTimeUtc',
  'SequenceNumber',
  'SessionId',
  'Size',
  'State',
  'TimeToLive',
  'To',
  'ViaPartitionKey',
] as const;

export type SystemProperty = (typeof SYSTEM_PROPERTIES)[number];

/** ACT-04: the system properties that an action may set, with their stored types. Setting a partition key has no effect. */
const SETTABLE = {
  ContentType: 'text',
  CorrelationId: 'text',
  Label: 'text',
  MessageId: 'text',
  PartitionKey: 'nothing',
  ReplyTo: 'text',
  ReplyToSessionId: 'text',
  ScheduledEnqueueTimeUtc: 'time',
  SessionId: 'text',
  TimeToLive: 'span',
  To: 'text',
} as const satisfies { readonly [name in SystemProperty]?: string };

export type SettableProperty = Exclude<keyof typeof SETTABLE, 'PartitionKey'>;
export type SettableTarget =
  | { readonly storedAs: 'text' | 'time' | 'span'; readonly property: SettableProperty }
  | { readonly storedAs: 'nothing'; readonly property: 'PartitionKey' };

const BY_LOWER_CASE: ReadonlyMap<string, SystemProperty> = new Map([
  ...SYSTEM_PROPERTIES.map((name) => [name.toLowerCase(), name] as const),
  ['subject', 'Label'], // SQL-07
]);

/** SQL-07: case does not count. */
function findSystemProperty(name: string): SystemProperty | undefined {
  return BY_LOWER_CASE.get(name.toLowerCase());
}

/** Returns undefined when the property is read-only. */
export function settableTargetOf(property: SystemProperty): SettableTarget | undefined {
  if (!isSettable(property)) return undefined;
  if (property === 'PartitionKey') return { storedAs: SETTABLE[property], property };
  return { storedAs: SETTABLE[property], property };
}

function isSettable(property: SystemProperty): property is keyof typeof SETTABLE {
  return Object.hasOwn(SETTABLE, property);
}

export type PropertyName =
  | { readonly scope: 'system'; readonly property: SystemProperty }
  | { readonly scope: 'user'; readonly name: string };

// SQL-01
const SCOPES = { sys: 'system', user: 'user' } as const;

type Scope = (typeof SCOPES)[keyof typeof SCOPES];

/** Reads `name`, `[na me]` or `"na me"`, each with or without `sys.` or `user.`. */
export function readPropertyName(cursor: SqlCursor): PropertyName {
  const scope = readScope(cursor);
  const token = cursor.next;
  if (token.kind !== 'name') {
    cursor.failAtNext(token.kind === 'keyword' ? 'a name; quote it as [name] if it is one' : 'a name');
  }
  cursor.take();
  if (scope === 'user') return { scope, name: token.name };
  return systemProperty(token.name, (problem) => cursor.source.fail(token.at, problem)); // SQL-08
}

// SQL-03: sys and user are ordinary names unless a dot follows
function readScope(cursor: SqlCursor): Scope {
  const { next, second } = cursor;
  if (second.kind !== 'symbol' || second.text !== '.') return 'user';
  const scope = next.kind === 'name' && !next.isQuoted ? scopeOf(next.name) : undefined;
  if (scope === undefined) {
    cursor.failAtNext("the scope sys or user before the '.'; quote a name with a dot as [a.b]");
  }
  cursor.take();
  cursor.take();
  return scope;
}

/** SQL-19: after an optional scope the rest of the text is the name. Throws RuleEvaluationError. */
export function parsePropertyName(text: string): PropertyName {
  const dot = text.indexOf('.');
  const scope = dot < 0 ? undefined : scopeOf(text.slice(0, dot));
  if (scope === undefined) return { scope: 'user', name: text };
  const name = text.slice(dot + 1);
  if (scope === 'user') return { scope, name };
  return systemProperty(name, (problem) => {
    throw new RuleEvaluationError(problem);
  });
}

function scopeOf(name: string): Scope | undefined {
  const lower = name.toLowerCase();
  return lower === 'sys' || lower === 'user' ? SCOPES[lower] : undefined;
}

function systemProperty(name: string, fail: (problem: string) => never): PropertyName {
  const property = findSystemProperty(name);
  if (property === undefined) fail(`there is no system property '${name}'`); // SQL-08
  return { scope: 'system', property };
}
