// ATOM entries and feeds, the envelope of all administration answers, and the paging of feeds.

import { ATOM, SERVICE_BUS } from '../../atom/atom-format.js';
import { element, escapeText, textElement } from '../../atom/xml/write-xml.js';
import { XML_SCHEMA_INSTANCE } from '../../atom/xml/xml-element.js';
import type { Limits, Tier } from '../../broker/contract/limits.js';
import { RequestProblem } from '../error-response.js';
import type { HttpCall } from '../http-context.js';

/** An entity, or the namespace, as an ATOM entry. */
export type AtomEntry = {
  readonly title: string;
  /** Whether the entity belongs to a topic. If not, the entry names the namespace as its author. */
  readonly isInTopic: boolean;
  /** Undefined where the service leaves it out. */
  readonly publishedTime: number | undefined;
  readonly updatedTime: number;
  /** The name of the one element in the content, and the XML inside it. */
  readonly contentName: string;
  readonly content: string;
};

/** The parts of a request that affect the content of an entry. */
export type AtomContext = {
  readonly host: string;
  readonly tier: Tier;
  readonly limits: Limits;
  /** The version that the client can read, such as `2021-05`; may be empty. */
  readonly apiVersion: string;
  /** The answer to a PUT has no counts and no times of use. */
  readonly answerTo: 'read' | 'create' | 'update';
};

type Place = Pick<HttpCall, 'path' | 'url'>;

export type PageRange = { readonly skip: number; readonly maxCount: number };

/** The largest number of entries in a page, and the default. */
const MAX_PAGE_LENGTH = 100;
const LARGEST_SKIP = 2 ** 31 - 1;

/** Answers with one entry. It has the address of the request, in which the JavaScript SDK reads the names as its caller wrote them (ENT-02). */
export function entryResponse(given: AtomEntry, { path, url }: Place, status = 200): Response {
  const { href } = addressOf(path, url.search, url);
  return atomResponse('entry', writeEntry(given, url, { xmlns: ATOM }, { id: href, link: href }), status);
}

/** A page as a feed. `all` contains one more entry than the page when there is a next page. */
export function feedResponse(
  all: readonly AtomEntry[],
  title: string,
  page: PageRange,
  place: Place,
): Response {
  const { url } = place;
  const hasNext = all.length > page.maxCount;
  const feed = element(
    'feed',
    { xmlns: ATOM },
    element('title', { type: 'text' }, title),
    textElement('id', url.href),
    textElement('updated', timeInSeconds(Date.now())),
    // The JavaScript SDK reads links only when there is more than one.
    element('link', { rel: 'self', href: url.href }),
    hasNext ? element('link', { rel: 'next', href: nextPage(url, page).href }) : undefined,
    ...all.slice(0, page.maxCount).map((one) => writeListed(one, place)),
  );
  return atomResponse('feed', feed, 200);
}

/** Writes an entry of a list. The address of a queue or topic is at the root; all others are below the list, as the request spelled it. */
function writeListed(given: AtomEntry, { path, url }: Place): string {
  const own = given.title.split('/');
  const version = url.searchParams.get('api-version');
  const search = version === null ? '' : `?${new URLSearchParams({ 'api-version': version })}`;
  const id = addressOf(given.isInTopic ? [...path, ...own] : own, search, url);
  const link = relativeTo(url.pathname, id.pathname) + id.search;
  return writeEntry(given, url, { 'xml:base': url.href }, { id: id.href, link });
}

function addressOf(path: readonly string[], search: string, url: URL): URL {
  const pathname = path.map(encodeURIComponent).join('/').replaceAll('%24', '$');
  return new URL(`/${pathname}${search}`, url);
}

/** A relative address, as .NET makes it. */
function relativeTo(from: string, to: string): string {
  const [own, theirs] = [from.split('/').slice(0, -1), to.split('/')];
  const at = own.findIndex((segment, index) => segment !== theirs[index]);
  const same = at < 0 ? own.length : at;
  return '../'.repeat(own.length - same) + theirs.slice(same).join('/');
}

/** A time of the envelope, to the second. */
export function timeInSeconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+/, '');
}

/** The name of the namespace: the first label of the host's name. */
export function namespaceNameOf({ hostname }: URL): string {
  return /^[\d.]+$|^\[/.test(hostname) ? hostname : (hostname.split('.')[0] ?? hostname);
}

function writeEntry(
  given: AtomEntry,
  url: URL,
  attributes: Readonly<Record<string, string>>,
  { id, link }: { readonly id: string; readonly link: string },
): string {
  const { title, isInTopic, publishedTime, updatedTime, contentName, content } = given;
  const namespaces = { xmlns: SERVICE_BUS, 'xmlns:i': XML_SCHEMA_INSTANCE };
  return element(
    'entry',
    attributes,
    textElement('id', id),
    element('title', { type: 'text' }, escapeText(title)),
    publishedTime === undefined ? undefined : textElement('published', timeInSeconds(publishedTime)),
    textElement('updated', timeInSeconds(updatedTime)),
    isInTopic ? undefined : element('author', {}, textElement('name', namespaceNameOf(url))),
    element('link', { rel: 'self', href: link }),
    element('content', { type: 'application/xml' }, element(contentName, namespaces, content)),
  );
}

export function atomResponse(type: 'entry' | 'feed', body: string, status: number): Response {
  const headers = { 'content-type': `application/atom+xml;type=${type};charset=utf-8` };
  return new Response(body, { status, headers });
}

/** Reads `$skip` and `$top`. Throws RequestProblem. */
export function readPageRange(url: URL): PageRange {
  const skip = readCount(url, '$skip', 0) ?? 0;
  const top = readCount(url, '$top', 1) ?? MAX_PAGE_LENGTH;
  return { skip, maxCount: Math.min(top, MAX_PAGE_LENGTH) };
}

function nextPage(url: URL, { skip, maxCount }: PageRange): URL {
  const next = new URL(url);
  for (const key of [...next.searchParams.keys()]) {
    if (/^\$(?:skip|top)$/i.test(key)) next.searchParams.delete(key);
  }
  next.searchParams.set('$skip', String(skip + maxCount));
  next.searchParams.set('$top', String(maxCount));
  return next;
}

/** The value of a parameter of the query, whose name may be in any case. */
export function queryValue({ searchParams }: URL, name: string): string | undefined {
  return [...searchParams].find(([key]) => key.toLowerCase() === name)?.[1];
}

/** A whole number in the query; undefined when the parameter is missing. */
function readCount(url: URL, name: string, least: number): number | undefined {
  const given = queryValue(url, name);
  if (given === undefined) return undefined;
  const count = /^\d{1,10}$/.test(given) ? Number(given) : -1;
  if (count >= least && count <= LARGEST_SKIP) return count;
  const text = `SubCode=40000. ${name} must be a whole number from ${least}, not '${given.slice(0, 50)}'.`;
  throw new RequestProblem(400, text);
}
