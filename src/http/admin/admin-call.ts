// A call to the administration: the request, what it is about the namespace that has a say in the answer, and its body as XML.

import type { HttpCall } from '../http-call.js';
import type { HttpContext } from '../http-context.js';
import { readBody } from '../request-body.js';
import { RequestProblem } from '../request-problem.js';
import { childrenOf, type XmlElement } from '../xml/xml-element.js';
import { XmlError } from '../xml/xml-error.js';
import { ATOM } from './atom.js';
import type { Place } from './entity-kind.js';

/** A description of an entity or a rule is much smaller. */
const MAX_BODY_BYTES = 1024 * 1024;

export type AdminCall = HttpCall & { readonly context: HttpContext };

/** Whether a PUT is to change what is there. Whatever is to match: nobody knows of versions of an entity. */
export function isUpdate({ request }: AdminCall): boolean {
  return request.headers.has('if-match');
}

export function placeOf({ url, context }: AdminCall): Place {
  const apiVersion = url.searchParams.get('api-version') ?? '';
  return { host: url.host, tier: context.tier, limits: context.limits, apiVersion };
}

/** The one element in the content of the entry that is the body, which has one of these names. Throws RequestProblem or XmlError. */
export async function readContent({ request }: AdminCall, names: readonly string[]): Promise<XmlElement> {
  const body = decoded(await readBody(request, { maxBytes: MAX_BODY_BYTES, tooLarge }));
  const expected = `<entry xmlns="${ATOM}"><content type="application/xml"><${names.join('> or <')}>`;
  if (body.trim() === '') throw new XmlError(`it is empty; send ${expected}`);
  // Half of what there is to load for HTTP, and only descriptions need it.
  const { parseXml } = await import('../xml/parse-xml.js');
  const entry = parseXml(body);
  const content = childrenOf(entry).find(({ localName }) => localName === 'content');
  if (entry.localName !== 'entry' || content === undefined) {
    throw new XmlError(`it is <${entry.localName}>; send ${expected}`);
  }
  const [description] = childrenOf(content);
  if (description !== undefined && names.includes(description.localName)) return description;
  throw new XmlError(`its content is <${description?.localName ?? ''}>; send ${expected}`);
}

/** A byte order mark is left out. */
function decoded(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new RequestProblem(400, 'The body is not UTF-8; send it in that encoding.');
  }
}

function tooLarge(size: string, maxBytes: number): RequestProblem {
  const text = `The body has ${size}, and ${maxBytes} are the limit; a description of an entity or a rule is much smaller.`;
  return new RequestProblem(413, text);
}
