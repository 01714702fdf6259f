// Names of properties with their scope: in an expression, and in a text that `property()` is given.

import { RuleEvaluationError } from './rule-evaluation-error.js';
import type { PropertyName } from './sql-ast.js';
import { findSystemProperty } from './system-property.js';
import type { TokenCursor } from './token-cursor.js';

// SQL-01
const SCOPES = { sys: 'system', user: 'user' } as const;

type Scope = (typeof SCOPES)[keyof typeof SCOPES];

/** `name`, `[na me]`, `"na me"`, each with or without `sys.` or `user.`. */
export function readPropertyName(cursor: TokenCursor): PropertyName {
  const scope = readScope(cursor);
  const token = cursor.next;
  if (token.kind !== 'name') {
    cursor.failAtNext(token.kind === 'keyword' ? 'a name; quote it as [name] if it is one' : 'a name');
  }
  cursor.take();
  if (scope === 'user') return { scope, name: token.name };
  return systemProperty(token.name, (problem) => cursor.source.fail(token.at, problem)); // SQL-08
}

// SQL-03: sys and user are names like others unless a dot follows
function readScope(cursor: TokenCursor): Scope {
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

/** SQL-19: the whole text is a name, except for the scope it may start with. Throws RuleEvaluationError. */
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
