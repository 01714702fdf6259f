// Text to elements. Nothing a document declares for itself is read, and there is an end to how deep it goes.

import { XMLParser, XMLValidator } from 'fast-xml-parser';
import {
  resolveName,
  type Scope,
  XML_SCHEMA_INSTANCE,
  type XmlAttribute,
  type XmlElement,
} from './xml-element.js';
import { XmlError } from './xml-error.js';
import { decodeReferences } from './xml-references.js';

const MAX_DEPTH = 32;
const MAX_ATTRIBUTES = 100;
/** Nothing that clients send has as many; what has takes long to read, and nobody else is answered meanwhile. */
const MAX_TAGS = 20_000;
const TEXT = '#text';
const CDATA = '#cdata';
const ATTRIBUTES = ':@';
const XMLNS = 'xmlns';
/** What needs no declaration; `i` does, and some forget it. */
const OUTERMOST: Scope = {
  declared: new Map([
    ['xml', 'http://www.w3.org/XML/1998/namespace'],
    ['i', XML_SCHEMA_INSTANCE],
  ]),
  outer: undefined,
};

/** As the parser hands it out: one key for the name, and perhaps one for the attributes. */
type ParsedNode = Readonly<Record<string, unknown>>;

/** The root element. Throws XmlError. */
export function parseXml(text: string): XmlElement {
  refuseTooManyTags(text);
  refuseDeclarations(text);
  refuseMalformed(text);
  const [root, ...more] = parse(text).filter((node) => nameOf(node) !== TEXT);
  if (root === undefined || more.length > 0 || nameOf(root) === CDATA || !text.trimEnd().endsWith('>')) {
    throw new XmlError('there must be one outermost element and nothing beside it');
  }
  return elementOf(root, OUTERMOST);
}

function refuseTooManyTags(text: string): void {
  let count = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) count += 1;
  if (count > MAX_TAGS) throw new XmlError(`it has ${count} tags; it may have ${MAX_TAGS}`);
}

/** A DOCTYPE can blow a few bytes up into gigabytes. It is looked for outside of comments and CDATA. */
function refuseDeclarations(text: string): void {
  let at = text.indexOf('<!');
  while (at >= 0) {
    const end = text.startsWith('<!--', at) ? '-->' : text.startsWith('<![CDATA[', at) ? ']]>' : undefined;
    if (end === undefined)
      throw new XmlError('a document type (<!DOCTYPE ...>) is not accepted; leave it out');
    const closed = text.indexOf(end, at + 4);
    if (closed < 0) throw new XmlError(`a part that begins with '${text.slice(at, at + 4)}' does not end`);
    at = text.indexOf('<!', closed);
  }
}

function refuseMalformed(text: string): void {
  const verdict = XMLValidator.validate(text);
  if (verdict === true) return;
  const { msg, line, col } = verdict.err;
  const place = col === undefined ? `line ${line}` : `line ${line}, column ${col}`;
  throw new XmlError(`${place}: ${msg.length > 200 ? `${msg.slice(0, 200)}…` : msg.replace(/\.$/, '')}`);
}

function parse(text: string): readonly ParsedNode[] {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    trimValues: false,
    processEntities: false,
    cdataPropName: CDATA,
    ignoreDeclaration: true,
    ignorePiTags: true,
    jPath: false,
    maxNestedTags: MAX_DEPTH,
  });
  try {
    return parser.parse(text);
  } catch (error) {
    throw new XmlError(error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read', error);
  }
}

function elementOf(node: ParsedNode, outer: Scope): XmlElement {
  const rawName = nameOf(node);
  const given = attributesIn(node, rawName);
  const scope = scopeOf(given, outer);
  return {
    ...resolveName(rawName, scope, 'the name of an element'),
    rawName,
    attributes: given.map((attribute) => resolved(attribute, scope)),
    scope,
    content: childrenIn(node, rawName).flatMap((child) => contentOf(child, scope)),
  };
}

function contentOf(node: ParsedNode, scope: Scope): readonly (XmlElement | string)[] {
  const name = nameOf(node);
  if (name !== TEXT && name !== CDATA) return [elementOf(node, scope)];
  const text =
    name === TEXT
      ? decodeReferences(String(node[TEXT]))
      : childrenIn(node, CDATA)
          .map((one) => one[TEXT])
          .join('');
  return text === '' ? [] : [text];
}

type Attribute = readonly [rawName: string, value: string];

function attributesIn(node: ParsedNode, rawName: string): readonly Attribute[] {
  const given = Object.entries(node[ATTRIBUTES] ?? {});
  if (given.length > MAX_ATTRIBUTES) {
    throw new XmlError(
      `<${rawName.slice(0, 100)}> has ${given.length} attributes; it may have ${MAX_ATTRIBUTES}`,
    );
  }
  return given.map(([name, value]) => [name, decodeReferences(String(value))]);
}

function scopeOf(attributes: readonly Attribute[], outer: Scope): Scope {
  const declared = attributes.filter(([name]) => isDeclaration(name));
  if (declared.length === 0) return outer;
  return { declared: new Map(declared.map(([name, value]) => [name.slice(XMLNS.length + 1), value])), outer };
}

function resolved([rawName, value]: Attribute, scope: Scope): XmlAttribute {
  // Unlike an element's, the name of an attribute without a prefix is in no namespace.
  if (isDeclaration(rawName) || !rawName.includes(':')) {
    return { namespace: '', localName: rawName, rawName, value };
  }
  return { ...resolveName(rawName, scope, 'the name of an attribute'), rawName, value };
}

function isDeclaration(rawName: string): boolean {
  return rawName === XMLNS || rawName.startsWith(`${XMLNS}:`);
}

function nameOf(node: ParsedNode): string {
  return Object.keys(node).find((key) => key !== ATTRIBUTES) ?? '';
}

function childrenIn(node: ParsedNode, name: string): readonly ParsedNode[] {
  const children = node[name];
  return Array.isArray(children) ? children : [];
}
