// The parts of an administration request: its kind of PUT, its context and its body as XML.

import { ATOM } from '../../atom/atom-format.js';
import { childrenOf, type XmlElement, XmlError } from '../../atom/xml/xml-element.js';
import { RequestProblem } from '../error-response.js';
import type { RoutedCall } from '../http-context.js';
import { readBody } from '../request-body.js';
import type { AtomContext } from './atom.js';

/** The largest request body. Descriptions of entities and rules are much smaller. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Whether a PUT changes an existing entity. The value of If-Match is ignored, because entities have no versions. */
export function isUpdate({ request }: RoutedCall): boolean {
  return request.headers.has('if-match');
}

export function atomContextOf(call: RoutedCall): AtomContext {
  const { request, url, context } = call;
  const apiVersion = url.searchParams.get('api-version') ?? '';
  const answerToPut = isUpdate(call) ? 'update' : 'create';
  const answerTo = request.method === 'PUT' ? answerToPut : 'read';
  return { host: url.host, tier: context.tier, limits: context.limits, apiVersion, answerTo };
}

/** Returns the element in the content of the entry, which must have one of these names. Throws RequestProblem or XmlError. */
export async function readContent(call: RoutedCall, names: readonly string[]): Promise<XmlElement> {
  const body = decoded(await readBody(call, { maxBytes: MAX_BODY_BYTES, tooLarge }));
  const expected = `<entry xmlns="${ATOM}"><content type="application/xml"><${names.join('> or <')}>`;
  if (body.trim() === '') throw new XmlError(`it is empty; send ${expected}`);
  // Loaded only when needed: the parser is half of the code for HTTP, and only descriptions need it.
  const { parseXml } = await import('../../atom/xml/parse-xml.js');
  const entry = parseXml(body);
  const content = childrenOf(entry).find(({ localName }) => localName === 'content');
  if (entry.localName !== 'entry' || content === undefined) {
    throw new XmlError(`it is <${entry.localName}>; send ${expected}`);
  }
  const [description] = childrenOf(content);
  if (description !== undefined && names.includes(description.localName)) return description;
  throw new XmlError(`its content is <${description?.localName ?? ''}>; send ${expected}`);
}

/** Decodes UTF-8, without a byte order mark. */
function decoded(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new RequestProblem(400, 'The body is not UTF-8; send it in that encoding.');
  }
}

function tooLarge(size: string, maxBytes: number): RequestProblem {
  const text = `The body has ${size}, and ${maxBytes} is the limit; a description of an entity or a rule is much smaller.`;
  return new RequestProblem(413, text);
}
