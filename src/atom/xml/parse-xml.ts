// Parses XML 1.0 with namespaces and without a DTD, up to a limit of depth, tags and attributes.

import { SaxesParser, type SaxesTagNS } from 'saxes';
import { OUTERMOST, type Scope, undeclaredPrefix, type XmlElement, XmlError } from './xml-element.js';

/** The most elements that may be open at the same time. */
const MAX_DEPTH = 33;
const MAX_ATTRIBUTES = 100;
/** The default. No client of the server sends this many tags, and parsing more would delay all other requests. */
const MAX_TAGS = 20_000;
const MAX_ATTRIBUTES_IN_ALL = 5000;
const RESERVED_NAME = /^(?:__proto__|constructor|prototype)$/;
/** Refused because a DTD can expand a few bytes to gigabytes. */
const DTD_REFUSED = 'a document type (<!DOCTYPE ...>) is not accepted; leave it out';
/** Stands for the namespace of an undeclared prefix until the whole name, which the error shows, is known. */
const UNDECLARED = '\0';
/** The starts and ends of parts inside which a closing tag does not count. */
const PART_ENDS = { '<!--': '-->', '<![CDATA[': ']]>', '&': ';' };
/** Replaces messages of the parser; all others stay as they are. */
const WORDING: readonly (readonly [RegExp, string])[] = [
  [/^document must contain a root element\.$/, 'Start tag expected'],
  [/^text data outside of root node\.$/, 'text is not expected beside the one outermost element'],
  [/^unclosed tag: (.*)$/, "Unclosed tag '$1'"],
  [/^unmatched closing tag: (.*)\.$/, "Closing tag '$1' has not been opened"],
  [/^duplicate attribute: (.*)\.$/, "Attribute '$1' is repeated"],
];

type OpenElement = XmlElement & { readonly content: (XmlElement | string)[] };

/** The root element. Throws XmlError at the first mistake. */
export function parseXml(
  text: string,
  { maxTags = MAX_TAGS, maxAttributes = MAX_ATTRIBUTES_IN_ALL } = {},
): XmlElement {
  refuseTooManyTags(text, maxTags);
  const parser = new SaxesParser({
    xmlns: true,
    position: false,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
    additionalNamespaces: OUTERMOST,
    resolvePrefix: () => UNDECLARED,
  });
  let root: XmlElement | undefined;
  let lastName = '';
  let attributeCount = 0;
  let attributesInAll = 0;
  const open: OpenElement[] = [];

  parser.on('opentagstart', ({ name }) => {
    refuseReserved(name);
    lastName = name;
    attributeCount = 0;
  });
  parser.on('attribute', ({ name }) => {
    refuseReserved(name);
    attributeCount += 1;
    attributesInAll += 1;
    if (attributesInAll > maxAttributes) throw new XmlError(`it has more than ${maxAttributes} attributes`);
    if (attributeCount <= MAX_ATTRIBUTES) return;
    const shown = `<${lastName.slice(0, 100)}>`;
    throw new XmlError(`${shown} has ${attributeCount} attributes; it may have ${MAX_ATTRIBUTES}`);
  });
  parser.on('opentag', (tag) => {
    const outer = open.at(-1);
    const element = elementOf(tag, outer?.scope ?? OUTERMOST);
    root ??= element;
    outer?.content.push(element);
    open.push(element);
    if (open.length > MAX_DEPTH && !tag.isSelfClosing) throw new XmlError('Maximum nested tags exceeded');
  });
  parser.on('closetag', ({ name }) => {
    lastName = name;
    open.pop();
  });
  const addText = (part: string) => {
    if (part !== '') open.at(-1)?.content.push(part);
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('doctype', () => {
    throw new XmlError(DTD_REFUSED);
  });
  parser.on('error', (error) => {
    throw new XmlError(explained(error.message, { text, parser, lastName }), error);
  });
  parser.write(text).close();
  if (root === undefined) throw new XmlError('there is no element');
  return root;
}

function refuseTooManyTags(text: string, maxTags: number): void {
  let count = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) count += 1;
  if (count > maxTags) throw new XmlError(`it has ${count} tags; it may have ${maxTags}`);
}

/** Refuses names that are special in JavaScript objects. No description has one. */
function refuseReserved(name: string): void {
  if (!RESERVED_NAME.test(name)) return;
  const reason = 'is a reserved JavaScript keyword that could cause prototype pollution';
  throw new XmlError(`[SECURITY] Invalid name: "${name}" ${reason}`);
}

function elementOf({ name, uri, local, ns, attributes }: SaxesTagNS, outer: Scope): OpenElement {
  if (uri === UNDECLARED) throw undeclaredPrefix(name, 'the name of an element');
  return {
    namespace: uri,
    localName: local,
    rawName: name,
    attributes: Object.values(attributes).map((one) => {
      if (one.uri === UNDECLARED) throw undeclaredPrefix(one.name, 'the name of an attribute');
      // The declaration of a namespace is an attribute that itself has no namespace.
      const isDeclaration = one.name === 'xmlns' || one.prefix === 'xmlns';
      const name = isDeclaration
        ? { namespace: '', localName: one.name }
        : { namespace: one.uri, localName: one.local };
      return { ...name, rawName: one.name, value: one.value };
    }),
    scope: Object.keys(ns).length === 0 ? outer : Object.assign(Object.create(outer), ns),
    content: [],
  };
}

type Failure = {
  readonly text: string;
  readonly parser: SaxesParser;
  /** The element that began or ended last. */
  readonly lastName: string;
};

/** The parser's message in words that show the mistake. */
function explained(message: string, { text, parser, lastName }: Failure): string {
  const reference = text.slice(text.lastIndexOf('&', parser.position - 1), parser.position).slice(0, 50);
  switch (message) {
    case 'inappropriately located doctype declaration.':
    case 'incorrect syntax.':
      return DTD_REFUSED;
    case 'documents may contain only one root.':
      return 'there must be one outermost element and nothing beside it';
    case 'malformed character entity.':
      return `'${reference}' is not a character that XML allows`;
    case 'undefined entity.':
    case 'empty entity name.':
    case 'disallowed character in entity name.':
      return `'${reference}' is not a known reference; write '&' as '&amp;'`;
    case 'unexpected close tag.':
      return `${positionOf(parser)}: Expected closing tag '${lastName.slice(0, 100)}'`;
    default: {
      const [pattern, words] = WORDING.find(([one]) => one.test(message)) ?? [/\.$/, ''];
      const shown = message.replace(pattern, words).slice(0, 200);
      return `${positionOf(parser)}: ${shown}${message.startsWith('un') ? unendedPart(text) : ''}`;
    }
  }
}

function positionOf({ line, column }: SaxesParser): string {
  return `line ${line}, column ${column}`;
}

/** Names a part that does not end. Because of it, the element around it seems unclosed. */
function unendedPart(text: string): string {
  const part = Object.entries(PART_ENDS).find(([begin, end]) => {
    const at = text.lastIndexOf(begin);
    return at >= 0 && !text.includes(end, at);
  });
  return part === undefined ? '' : `; a part that begins with '${part[0]}' does not end`;
}
