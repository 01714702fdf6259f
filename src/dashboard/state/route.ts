// The place in the page, kept in the address behind `#`, so that every screen can be linked to.

import { signal } from '@preact/signals';

/** The tabs of an entity. */
export const TABS = [
  'subscriptions',
  'active',
  'sessions',
  'locked',
  'scheduled',
  'deferred',
  'dead',
  'transfer-dead',
  'rates',
  'settings',
] as const;
export type Tab = (typeof TABS)[number];

export type MessageRoute = {
  readonly screen: 'message';
  readonly path: string;
  readonly tab: Tab;
  readonly sequenceNumber: number;
};
export type Route =
  | { readonly screen: 'overview' | 'flow' | 'sessions' | 'connections' | 'clock' | 'connect' | 'about' }
  | { readonly screen: 'unknown'; readonly address: string }
  /** `of` is the message that is followed, whose own steps the record may not have any more. */
  | { readonly screen: 'timeline'; readonly filter: string; readonly of?: MessageRoute }
  | { readonly screen: 'entity'; readonly path: string; readonly tab: Tab; readonly filter: string }
  | MessageRoute
  | { readonly screen: 'rules'; readonly topic: string | undefined }
  | { readonly screen: 'compose'; readonly path: string | undefined; readonly from: number | undefined };

const PLAIN = ['overview', 'flow', 'sessions', 'connections', 'clock', 'connect', 'about'] as const;

export const route = signal<Route>(parseRoute(location.hash));

let askBeforeLeaving: ((address: string) => void) | undefined;

/** Has a screen with text that would be lost ask before it is left, for the address that was wanted. Returns a function that ends it. */
export function guardLeaving(ask: (address: string) => void): () => void {
  askBeforeLeaving = ask;
  return () => {
    askBeforeLeaving = undefined;
  };
}

function arrive(): void {
  const next = parseRoute(location.hash);
  const [wanted, here] = [hrefOf(next), hrefOf(route.peek())];
  if (wanted === here) return;
  if (askBeforeLeaving === undefined) {
    route.value = next;
    return;
  }
  history.replaceState(null, '', here);
  askBeforeLeaving(wanted);
}

// `hashchange` comes a task later, and a key that was pressed meanwhile would act on the place that was left.
addEventListener('popstate', arrive);

/** Goes there at once, so that the next key already belongs to that place. */
export function go(to: Route): void {
  location.hash = hrefOf(to);
  arrive();
}

/** The address of a place, for links. */
export function hrefOf(to: Route): string {
  switch (to.screen) {
    case 'timeline':
      return `#/timeline${queryOf({ q: to.filter, of: to.of === undefined ? '' : hrefOf(to.of) })}`;
    case 'entity':
      return `#/e/${encodeURIComponent(to.path)}/${to.tab}${queryOf({ q: to.filter })}`;
    case 'message':
      return `#/e/${encodeURIComponent(to.path)}/${to.tab}/${to.sequenceNumber}`;
    case 'rules':
      return to.topic === undefined ? '#/rules' : `#/rules/${encodeURIComponent(to.topic)}`;
    case 'compose':
      return `#/new${queryOf({ to: to.path ?? '', from: to.from?.toString() ?? '' })}`;
    case 'unknown':
      return `#/${to.address}`;
    default:
      return `#/${to.screen}`;
  }
}

/** The place of an address; the overview for an empty one. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [first = '', ...rest] = path.split('/').map(decoded);
  const query = new URLSearchParams(search);
  const plain = PLAIN.find((each) => each === first);
  if (plain !== undefined) return { screen: plain };
  if (first === 'timeline') {
    const of = parseRoute(query.get('of') ?? '');
    return {
      screen: 'timeline',
      filter: query.get('q') ?? '',
      ...(of.screen === 'message' ? { of } : {}),
    };
  }
  if (first === 'rules') return { screen: 'rules', topic: rest[0] || undefined };
  if (first === 'new') {
    const from = Number(query.get('from'));
    return { screen: 'compose', path: query.get('to') || undefined, from: from > 0 ? from : undefined };
  }
  if (first === 'e' && rest[0]) return entityRoute(rest[0], rest.slice(1), query.get('q') ?? '');
  return path === '' ? { screen: 'overview' } : { screen: 'unknown', address: path };
}

function entityRoute(path: string, [given = '', number]: readonly string[], filter: string): Route {
  const tab = TABS.find((each) => each === given) ?? 'active';
  const sequenceNumber = Number(number);
  if (number !== undefined && /^\d+$/.test(number) && Number.isSafeInteger(sequenceNumber)) {
    return { screen: 'message', path, tab, sequenceNumber };
  }
  return { screen: 'entity', path, tab, filter };
}

function queryOf(values: Readonly<Record<string, string>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
