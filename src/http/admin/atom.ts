// Entries and feeds: the envelope in which everything the administration tells is sent.

import { element, textElement } from '../xml/write-xml.js';
import { XML_SCHEMA_INSTANCE } from '../xml/xml-element.js';
import { escapeText } from '../xml-text.js';
import { nextPage, type Page } from './page.js';

export const SERVICE_BUS = 'http://schemas.microsoft.com/netservices/2010/10/servicebus/connect';
export const ATOM = 'http://www.w3.org/2005/Atom';

/** One thing that is told. */
export type Told = {
  /** From the root of the namespace; clients take names from it, so `Subscriptions` and `Rules` have their capital. */
  readonly path: string;
  /** Its own name. */
  readonly title: string;
  readonly publishedTime: number;
  readonly updatedTime: number;
  /** The name of the one element in it, and the elements in that. */
  readonly contentName: string;
  readonly content: string;
};

export function entryResponse(told: Told, url: URL, status = 200): Response {
  return atomResponse('entry', entry(told, url, { xmlns: ATOM }), status);
}

/** `all` has one more than fits when there is a next page. */
export function feedResponse(all: readonly Told[], title: string, page: Page, url: URL): Response {
  const hasNext = all.length > page.maxCount;
  const feed = element(
    'feed',
    { xmlns: ATOM },
    element('title', { type: 'text' }, title),
    textElement('id', url.href),
    textElement('updated', updatedNow()),
    // The JavaScript SDK looks at links only where there is more than one.
    element('link', { rel: 'self', href: url.href }),
    hasNext ? element('link', { rel: 'next', href: nextPage(url, page).href }) : undefined,
    ...all.slice(0, page.maxCount).map((told) => entry(told, url, {})),
  );
  return atomResponse('feed', feed, 200);
}

/** When a feed was made, to the second. */
export function updatedNow(): string {
  return new Date().toISOString().replace(/\.\d+/, '');
}

/** The times that .NET has, and that four digits can say the year of. */
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** As .NET writes it: ten-millionths of a second, in UTC. A rule may hold times that .NET has not: they are told as its first or last, and its last comes without what a millisecond lacks. */
export function isoTime(milliseconds: number): string {
  if (milliseconds >= LAST_TIME) return '9999-12-31T23:59:59.9999999Z';
  return new Date(Math.max(milliseconds, FIRST_TIME)).toISOString().replace('Z', '0000Z');
}

/** The first part of the host's name, by which the service knows a namespace. */
export function namespaceNameOf({ hostname }: URL): string {
  return /^[\d.]+$|^\[/.test(hostname) ? hostname : (hostname.split('.')[0] ?? hostname);
}

function entry(told: Told, url: URL, attributes: Readonly<Record<string, string>>): string {
  const { path, title, publishedTime, updatedTime, contentName, content } = told;
  const id = new URL(`/${path.split('/').map(encodeURIComponent).join('/').replaceAll('%24', '$')}`, url);
  const version = url.searchParams.get('api-version');
  if (version !== null) id.searchParams.set('api-version', version);
  const namespaces = { xmlns: SERVICE_BUS, 'xmlns:i': XML_SCHEMA_INSTANCE };
  return element(
    'entry',
    attributes,
    textElement('id', id.href),
    element('title', { type: 'text' }, escapeText(title)),
    textElement('published', isoTime(publishedTime)),
    textElement('updated', isoTime(updatedTime)),
    element('author', {}, textElement('name', namespaceNameOf(url))),
    element('link', { rel: 'self', href: id.href }),
    element('content', { type: 'application/xml' }, element(contentName, namespaces, content)),
  );
}

export function atomResponse(type: 'entry' | 'feed', body: string, status: number): Response {
  const headers = { 'content-type': `application/atom+xml;type=${type};charset=utf-8` };
  return new Response(body, { status, headers });
}
