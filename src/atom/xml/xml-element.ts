// A parsed XML element, with resolved names and decoded text. Retains prefixes, so that it can be written again.

type QName = { readonly namespace: string; readonly localName: string };

/** The namespaces by prefix that are valid in an element; names without a prefix have the prefix `''`. The prototype is the scope around it. */
export type Scope = Readonly<Record<string, string>>;

type XmlAttribute = QName & { readonly rawName: string; readonly value: string };

export type XmlElement = QName & {
  readonly rawName: string;
  readonly attributes: readonly XmlAttribute[];
  /** The namespaces in scope. The element's own declarations are also among its attributes. */
  readonly scope: Scope;
  /** Elements and text in document order. */
  readonly content: readonly (XmlElement | string)[];
};

export const XML_SCHEMA_INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';

/** Prefixes that need no declaration: `xml`, and `i`, whose declaration some clients forget. */
export const OUTERMOST: Scope = Object.assign(Object.create(null), {
  '': '',
  xml: 'http://www.w3.org/XML/1998/namespace',
  i: XML_SCHEMA_INSTANCE,
});

/** An error for malformed XML, or for wrong content in XML. The message begins in lower case or with a name, and has no full stop. */
export class XmlError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'XmlError';
  }
}

export function childrenOf({ content }: XmlElement): readonly XmlElement[] {
  return content.filter((one) => typeof one !== 'string');
}

/** The first child of this name in any namespace: old clients leave the namespace out or use another one. */
export function childNamed(element: XmlElement, localName: string): XmlElement | undefined {
  return childrenOf(element).find((child) => child.localName === localName);
}

/** The text of an element. Throws XmlError when the element contains elements. */
export function elementText(element: XmlElement): string {
  const inner = childrenOf(element)[0];
  if (inner !== undefined) {
    throw new XmlError(`<${element.localName}> must hold text only, but it holds <${inner.localName}>`);
  }
  return element.content.join('');
}

/** Whether an element is nil or has neither elements nor text, and so counts as missing. */
export function isEmpty(element: XmlElement): boolean {
  return isNil(element) || element.content.every((one) => typeof one === 'string' && one.trim() === '');
}

/** Whether an element is marked as nil (`i:nil`), whatever its content. */
export function isNil({ attributes }: XmlElement): boolean {
  return attributes.some((one) => isInstance(one, 'nil') && /^(?:true|1)$/.test(one.value));
}

/** The type in `i:type`, with any prefix. Throws XmlError. */
export function typeOf({ attributes, scope, localName }: XmlElement): QName | undefined {
  const type = attributes.find((one) => isInstance(one, 'type'));
  if (type === undefined) return undefined;
  const name = type.value.trim();
  const colon = name.indexOf(':');
  const namespace = scope[colon < 0 ? '' : name.slice(0, colon)];
  if (namespace === undefined) throw undeclaredPrefix(name, `the type of <${localName}>`);
  return { namespace, localName: name.slice(colon + 1) };
}

/** The error for the name of an element, attribute or type whose prefix is not declared. */
export function undeclaredPrefix(name: string, what: string): XmlError {
  return new XmlError(`${what} is '${name}', whose prefix '${name.replace(/:.*/s, '')}' is not declared`);
}

function isInstance({ namespace, localName }: QName, name: string): boolean {
  return namespace === XML_SCHEMA_INSTANCE && localName === name;
}

/** A boolean in any case, or as a digit as XML Schema allows; undefined for other texts. */
export function parseBoolean(text: string): boolean | undefined {
  if (/^(?:true|1)$/i.test(text)) return true;
  return /^(?:false|0)$/i.test(text) ? false : undefined;
}
