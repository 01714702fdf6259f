// An element of XML as it means: its names resolved, its text decoded; prefixes are kept for those who write it again.

import { XmlError } from './xml-error.js';

export type QName = { readonly namespace: string; readonly localName: string };

/** Which namespaces the prefixes stand for at some place; `''` is the prefix of names without one. */
export type Scope = {
  readonly declared: ReadonlyMap<string, string>;
  readonly outer: Scope | undefined;
};

export type XmlAttribute = QName & { readonly rawName: string; readonly value: string };

export type XmlElement = QName & {
  readonly rawName: string;
  readonly attributes: readonly XmlAttribute[];
  /** What it declares is among its attributes. */
  readonly scope: Scope;
  /** Elements and text in their order. */
  readonly content: readonly (XmlElement | string)[];
};

export const XML_SCHEMA_INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';

export function childrenOf({ content }: XmlElement): readonly XmlElement[] {
  return content.filter((one) => typeof one !== 'string');
}

/** The first of this name, in whatever namespace: old clients leave it out, or have another. */
export function childNamed(element: XmlElement, localName: string): XmlElement | undefined {
  return childrenOf(element).find((child) => child.localName === localName);
}

/** Its own text. Throws XmlError when it holds elements. */
export function textOf(element: XmlElement): string {
  const inner = childrenOf(element)[0];
  if (inner !== undefined) {
    throw new XmlError(`<${element.localName}> must hold text only, and it holds <${inner.localName}>`);
  }
  return element.content.join('');
}

/** Without elements and text, or said to be nothing: as good as not given. */
export function isEmpty(element: XmlElement): boolean {
  return isNil(element) || element.content.every((one) => typeof one === 'string' && one.trim() === '');
}

/** Said to be nothing (`i:nil`), whatever it holds. */
export function isNil({ attributes }: XmlElement): boolean {
  return attributes.some((one) => isInstance(one, 'nil') && /^(?:true|1)$/.test(one.value));
}

/** What `i:type` says, whatever the prefix. Throws XmlError. */
export function typeOf({ attributes, scope, localName }: XmlElement): QName | undefined {
  const type = attributes.find((one) => isInstance(one, 'type'));
  return type === undefined ? undefined : resolveName(type.value.trim(), scope, `the type of <${localName}>`);
}

/** Throws XmlError for a prefix that stands for nothing. */
export function resolveName(name: string, scope: Scope, what: string): QName {
  const colon = name.indexOf(':');
  const prefix = colon < 0 ? '' : name.slice(0, colon);
  const namespace = namespaceOf(prefix, scope);
  if (namespace === undefined) {
    throw new XmlError(`${what} is '${name}', whose prefix '${prefix}' is not declared`);
  }
  return { namespace, localName: name.slice(colon + 1) };
}

export function namespaceOf(prefix: string, scope: Scope | undefined): string | undefined {
  for (let at = scope; at !== undefined; at = at.outer) {
    const namespace = at.declared.get(prefix);
    if (namespace !== undefined) return namespace;
  }
  return prefix === '' ? '' : undefined;
}

function isInstance({ namespace, localName }: QName, name: string): boolean {
  return namespace === XML_SCHEMA_INSTANCE && localName === name;
}
