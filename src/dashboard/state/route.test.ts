import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Route } from './route.js';

type Routes = typeof import('./route.js');
let routes: Routes;

beforeAll(async () => {
  vi.stubGlobal('location', { hash: '' });
  vi.stubGlobal('addEventListener', () => {});
  routes = await import('./route.js');
});
afterAll(() => {
  vi.unstubAllGlobals();
});

const OVERVIEW: Route = { screen: 'overview' };

describe('the address of a place', () => {
  it.each<[Route, string]>([
    [{ screen: 'overview' }, '#/overview'],
    [{ screen: 'flow' }, '#/flow'],
    [{ screen: 'sessions' }, '#/sessions'],
    [{ screen: 'connections' }, '#/connections'],
    [{ screen: 'clock' }, '#/clock'],
    [{ screen: 'connect' }, '#/connect'],
    [{ screen: 'about' }, '#/about'],
    [{ screen: 'timeline', filter: '' }, '#/timeline'],
    [{ screen: 'timeline', filter: 'correlation:ord-1' }, '#/timeline?q=correlation%3Aord-1'],
    [
      {
        ...{ screen: 'timeline', filter: 'correlation:ord-1' },
        of: { screen: 'message', path: 'a/b', tab: 'dead', sequenceNumber: 7 },
      },
      '#/timeline?q=correlation%3Aord-1&of=%23%2Fe%2Fa%252Fb%2Fdead%2F7',
    ],
    [{ screen: 'entity', path: 'orders', tab: 'dead', filter: '' }, '#/e/orders/dead'],
    [
      { screen: 'entity', path: 'events/Subscriptions/eu', tab: 'active', filter: 'a&q=b #1' },
      '#/e/events%2FSubscriptions%2Feu/active?q=a%26q%3Db+%231',
    ],
    [{ screen: 'message', path: 'orders', tab: 'dead', sequenceNumber: 7 }, '#/e/orders/dead/7'],
    [{ screen: 'rules', topic: undefined }, '#/rules'],
    [{ screen: 'rules', topic: 'a/b' }, '#/rules/a%2Fb'],
    [{ screen: 'compose', path: undefined, from: undefined }, '#/new'],
    [{ screen: 'compose', path: 'orders', from: 7 }, '#/new?to=orders&from=7'],
  ])('%j is %s, there and back', (route, address) => {
    expect(routes.hrefOf(route)).toBe(address);
    expect(routes.parseRoute(address)).toEqual(route);
  });

  it.each(['a/b', 'a b', '100%', '%2F', 'a?q=b', 'a#b', 'عربى', '🙂', "it's", '..', '<b>"'])(
    'keeps the name %j in every place that has one',
    (path) => {
      for (const route of [
        { screen: 'entity', path, tab: 'settings', filter: path },
        { screen: 'message', path, tab: 'active', sequenceNumber: 1 },
        { screen: 'rules', topic: path },
        { screen: 'compose', path, from: undefined },
        { screen: 'timeline', filter: path },
      ] satisfies readonly Route[]) {
        expect(routes.parseRoute(routes.hrefOf(route))).toEqual(route);
      }
    },
  );

  it('keeps any name and any filter', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.string({ unit: 'binary' }),
        fc.constantFrom(...routes.TABS),
        (path, filter, tab) => {
          const route: Route = { screen: 'entity', path, tab, filter };
          expect(routes.parseRoute(routes.hrefOf(route))).toEqual(route);
        },
      ),
      { examples: [['\u202eabc', '\u202eabc', 'dead']] },
    );
  });

  it.each([
    ['', OVERVIEW],
    ['#', OVERVIEW],
    ['#/', OVERVIEW],
    ['#/zzz', { screen: 'unknown', address: 'zzz' }],
    ['#/e/', { screen: 'unknown', address: 'e/' }],
    ['#/rules/', { screen: 'rules', topic: undefined }],
    ['#/e/orders', { screen: 'entity', path: 'orders', tab: 'active', filter: '' }],
    ['#/e/orders/lost', { screen: 'entity', path: 'orders', tab: 'active', filter: '' }],
    ['#/e/orders/dead/', { screen: 'entity', path: 'orders', tab: 'dead', filter: '' }],
    ['#/e/orders/dead/x', { screen: 'entity', path: 'orders', tab: 'dead', filter: '' }],
    ['#/e/orders/dead/-1', { screen: 'entity', path: 'orders', tab: 'dead', filter: '' }],
    ['#/e/100%/dead', { screen: 'entity', path: '100%', tab: 'dead', filter: '' }],
    ['#/new?from=x', { screen: 'compose', path: undefined, from: undefined }],
  ] satisfies readonly (readonly [string, Route])[])('%j, typed by hand, leads somewhere', (hash, route) => {
    expect(routes.parseRoute(hash)).toEqual(route);
  });

  it('is changed at once by going there', () => {
    routes.go({ screen: 'rules', topic: 'events' });
    expect(location.hash).toBe('#/rules/events');
    expect(routes.route.value).toEqual({ screen: 'rules', topic: 'events' });
  });
});

describe('a screen with text that would be lost', () => {
  it('asks before it is left, and stays where it is until then', () => {
    routes.go({ screen: 'compose', path: 'orders', from: undefined });
    const asked: string[] = [];
    vi.stubGlobal('history', {
      replaceState: (_state: unknown, _title: string, address: string) => {
        location.hash = address;
      },
    });
    const release = routes.guardLeaving((address) => asked.push(address));
    routes.go(OVERVIEW);
    expect([asked, location.hash, routes.route.value.screen]).toEqual([
      ['#/overview'],
      '#/new?to=orders',
      'compose',
    ]);
    release();
    routes.go(OVERVIEW);
    expect([asked.length, routes.route.value]).toEqual([1, OVERVIEW]);
  });
});
