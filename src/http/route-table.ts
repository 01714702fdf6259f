// Tables of routes (method, path, call, access and function), and the search for the row of a request.

import type { AccessRight } from '../broker/contract/entities/authorization-rule.js';
import type { ControlAccess } from './control/control-access.js';
import { RequestProblem } from './error-response.js';
import type { HttpCall, RoutedCall, RouteNames } from './http-context.js';

/** The control interface needs no token unless tokens are checked. */
export type Access = AccessRight | 'no token' | 'any token' | ControlAccess;

/**
 * Words of a path match in any case, `*` in a path matches any text, and a name in braces is one of `NAMES`. The method `*` matches any
 * method. If several rows fit a request, the first one applies.
 */
export type Row<Answer> = readonly [
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | '*',
  path: string,
  call: string,
  access: Access,
  answer: Answer,
];

export type Route = {
  readonly method: string;
  readonly path: RegExp;
  readonly call: string;
  readonly access: Access;
  /** Answers a request, and a client's mistake with the error of the call's protocol. */
  readonly answer: (call: RoutedCall) => Promise<Response>;
};

export type FoundRoute = { readonly route: Route; readonly names: RouteNames };

/** Names of queues and topics and message ids may contain slashes. A lock token is a GUID. */
const NAMES: Readonly<Record<keyof RouteNames, string>> = {
  entity: '.+',
  topic: '.+',
  subscription: '[^/]+',
  rule: '[^/]+',
  id: '.+',
  lockToken: '[\\da-f]{32}|[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}',
};
const NO_NAMES: RouteNames = { entity: '', topic: '', subscription: '', rule: '', id: '', lockToken: '' };

/** The routes of these rows. `perform` calls the function of a row, and answers a client's mistake. */
export function routesOf<Answer>(
  perform: (answer: Answer, call: RoutedCall) => Promise<Response>,
  rows: readonly Row<Answer>[],
): readonly Route[] {
  return rows.map(([method, path, call, access, answer]) => ({
    method,
    path: compilePath(path),
    call,
    access,
    answer: (routed) => perform(answer, routed),
  }));
}

/** The rows, and behind those of each path one that refuses every other method. It goes by the name of the path's first call. */
export function withOtherMethods<Answer>(
  access: Access,
  rows: readonly Row<Answer>[],
): readonly Row<Answer | ReturnType<typeof refuseMethod>>[] {
  return rows.flatMap((row, index) => {
    const [, path] = row;
    if (rows[index + 1]?.[1] === path) return [row];
    const ofPath = rows.filter((one) => one[1] === path);
    const [, , call] = ofPath[0] ?? row;
    const allowed = ofPath.map(([method]) => method).join(', ');
    return [row, ['*', path, call, access, refuseMethod(allowed)]];
  });
}

export function matchRoute(routes: readonly Route[], { request, path }: HttpCall): FoundRoute | undefined {
  const text = `/${path.join('/')}`;
  for (const route of routes) {
    if (route.method !== '*' && route.method !== request.method) continue;
    const found = route.path.exec(text);
    if (found !== null) return { route, names: { ...NO_NAMES, ...found.groups } };
  }
  return undefined;
}

function compilePath(path: string): RegExp {
  const source = path
    .replace(/[.$]/g, '\\$&')
    .replaceAll('*', '.*')
    .replace(/\{(\w+)\}/g, (_, name: keyof RouteNames) => `(?<${name}>${NAMES[name]})`);
  // Looks for the lock token at the end first. Otherwise a path with 1,000 times `messages` would be tried at each of them (200 ms).
  const ending = path.endsWith('{lockToken}') ? `(?=.*/(?:${NAMES.lockToken})$)` : '';
  return new RegExp(`^${ending}${source}$`, 'is');
}

function refuseMethod(allowed: string): (call: HttpCall) => never {
  return ({ request }) => {
    const method = request.method.slice(0, 20);
    throw new RequestProblem(405, `${method} is not possible here; use ${allowed}.`, { allow: allowed });
  };
}
