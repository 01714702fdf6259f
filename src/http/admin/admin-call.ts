// A call to the administration: the request, what it is about the namespace that has a say in the answer, and its body as XML.

import type { HttpCall } from '../http-call.js';
import type { HttpContext } from '../http-context.js';
import { childrenOf, type XmlElement } from '../xml/xml-element.js';
import { XmlError } from '../xml/xml-error.js';
import { ATOM } from './atom.js';
import type { Place } from './entity-kind.js';
import { readBody } from './request-body.js';

export type AdminCall = HttpCall & { readonly context: HttpContext };

/** Whether a PUT is to change what is there. Whatever is to match: nobody knows of versions of an entity. */
export function isUpdate({ request }: AdminCall): boolean {
  return request.headers.has('if-match');
}

export function placeOf({ url, context }: AdminCall): Place {
  return { host: url.host, tier: context.tier, limits: context.limits };
}

/** The one element in the content of the entry that is the body, which has one of these names. Throws RequestProblem or XmlError. */
export async function readContent({ request }: AdminCall, names: readonly string[]): Promise<XmlElement> {
  const body = await readBody(request);
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
