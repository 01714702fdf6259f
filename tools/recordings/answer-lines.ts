// An answer as lines of a key and a value, so that two answers can be compared: status, headers, and each element and attribute of the XML.
// Generated values (times, ids, hosts) stand as their shape.

import { parseXml } from '../../src/atom/xml/parse-xml.js';
import { childrenOf, typeOf, XML_SCHEMA_INSTANCE, type XmlElement } from '../../src/atom/xml/xml-element.js';
import type { Answer } from './read-recording.js';

export type Line = readonly [key: string, value: string];

/** What stands for the namespace in an answer. */
export type NamespaceNames = {
  /** Host and port, such as `localhost:5672`. */
  readonly hosts: readonly string[];
  /** The namespace's own name, such as `localhost`. */
  readonly names: readonly string[];
};

/** Headers that say nothing about the request. */
const TRANSPORT =
  /^(?:date|server|strict-transport-security|transfer-encoding|connection|keep-alive|content-length|retry-after)$/;
/** Times that the service writes to the second. */
const IN_SECONDS = /\/(?:published|updated)$/;

/** An element that `ignored` matches has no value. */
export function linesOf(answer: Answer, names: NamespaceNames, ignored: RegExp | undefined): readonly Line[] {
  const lines: Line[] = [['status', String(answer.status)], ...headerLines(answer.headers)];
  const body = answer.body.trim();
  if (body.startsWith('<')) addElement(parseXml(body), { path: '', namespace: '' }, lines);
  else lines.push(['body', body]);
  return lines.map(([key, value]) => [
    key,
    ignored?.test(key) ? '' : shapeOf(value, names, IN_SECONDS.test(key)),
  ]);
}

function headerLines(headers: Headers): Line[] {
  return [...headers]
    .filter(([name]) => !TRANSPORT.test(name))
    .flatMap(([name, value]): Line[] => {
      if (name !== 'brokerproperties') return [[`header ${name}`, value.replaceAll('; ', ';')]];
      const properties = Object.entries(JSON.parse(value)).sort();
      return properties.map(([key, one]) => [`BrokerProperties/${key}`, String(one)]);
    });
}

type Place = { readonly path: string; readonly namespace: string };

/** Siblings of one name are numbered from the second on. */
function addElement(element: XmlElement, { path, namespace }: Place, lines: Line[], number = 1): void {
  const key = `${path}/${element.localName}${number > 1 ? `[${number}]` : ''}`;
  const children = childrenOf(element);
  const text = children.length > 0 ? '' : element.content.join('').trim();
  const [subCode, rest] = element.localName === 'Detail' ? splitDetail(text) : ['', text];
  if (subCode !== '') lines.push([`${key}/SubCode`, subCode]);
  lines.push([key, rest]);
  if (element.namespace !== namespace) lines.push([`${key}/@xmlns`, element.namespace]);
  for (const { namespace: own, localName, value } of element.attributes) {
    if (localName.startsWith('xmlns')) continue;
    const isType = own === XML_SCHEMA_INSTANCE && localName === 'type';
    const type = isType ? typeOf(element) : undefined;
    lines.push([`${key}/@${localName}`, type === undefined ? value : `${type.namespace} ${type.localName}`]);
  }
  const counts = new Map<string, number>();
  for (const child of children) {
    const count = (counts.get(child.localName) ?? 0) + 1;
    counts.set(child.localName, count);
    addElement(child, { path: key, namespace: element.namespace }, lines, count);
  }
}

/** Programs read the sub-code of an error. */
function splitDetail(text: string): readonly [subCode: string, rest: string] {
  const [begin = '', subCode = ''] = /^SubCode=(\d+)[.:] */i.exec(text) ?? [];
  return [subCode, text.slice(begin.length)];
}

function shapeOf(value: string, { hosts, names }: NamespaceNames, isInSeconds: boolean): string {
  let text = value;
  for (const host of hosts) {
    text = text.replaceAll(`http://${host}`, `https://${host}`).replaceAll(host, 'HOST');
  }
  for (const name of names)
    text = text.replaceAll(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'g'), 'NAMESPACE');
  return text
    .replaceAll(/[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}(?:_\w+)*|\buuid:[^;]*;id=\d+/gi, 'GUID')
    .replaceAll(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [\d:]{8} GMT/g, 'DATE')
    .replaceAll(/(?!0001)\d{4}-\d\d-\d\dT[\d:]{8}(\.\d+)?/g, (_, fraction) =>
      isInSeconds && fraction !== undefined ? 'TIME.FRACTION' : 'TIME',
    )
    .replaceAll(/\b\d{18}\b/g, 'TICKS');
}
