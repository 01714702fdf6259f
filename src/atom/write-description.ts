// Writes the body of a request that creates or changes an entity or a rule.

import type { RuleDescription } from '../broker/contract/rule-description.js';
import { formatDuration } from '../description/duration.js';
import { officialName } from '../description/entity-property.js';
import { ATOM, SERVICE_BUS } from './atom-format.js';
import { authorizationRules } from './authorization-rules-xml.js';
import { DEFAULT_RULE_ELEMENT, type EntityElements, RULE_ELEMENT } from './entity-elements.js';
import { FORWARDING_ELEMENTS } from './forward-target.js';
import { ruleXml } from './rule-xml.js';
import { element, textElement } from './xml/write-xml.js';
import { XML_SCHEMA_INSTANCE } from './xml/xml-element.js';

type DescriptionOptions = {
  /** The host and port that forwarding targets are given with. */
  readonly host: string;
  /** The first rule of a new subscription. */
  readonly rule?: RuleDescription | undefined;
};

/** An entry with the given properties, in the order of the service: it ignores an element that comes too late. */
export function entityRequest<Given extends object>(
  { element: name, order, properties }: EntityElements<Given>,
  given: Partial<Given>,
  { host, rule }: DescriptionOptions,
): string {
  const values: Readonly<Record<string, unknown>> = { ...given };
  const elements = order.map((one) => {
    if (one === 'MessageCount' && rule !== undefined) return element(DEFAULT_RULE_ELEMENT, {}, ruleXml(rule));
    const property = properties.find((each) => officialName(each.name) === one);
    const value = property && values[property.field];
    if (property === undefined || value === undefined) return undefined;
    if (property.type === 'list') {
      return authorizationRules(value as Parameters<typeof authorizationRules>[0]);
    }
    if (property.type === 'duration') return textElement(one, formatDuration(Number(value)));
    const isTarget = FORWARDING_ELEMENTS.includes(one);
    return textElement(one, isTarget ? `sb://${host}/${value}` : String(value));
  });
  return entry(name, elements.join(''));
}

export function ruleRequest(rule: RuleDescription): string {
  return entry(RULE_ELEMENT, ruleXml(rule));
}

function entry(name: string, content: string): string {
  const namespaces = { xmlns: SERVICE_BUS, 'xmlns:i': XML_SCHEMA_INSTANCE };
  const description = element(name, namespaces, content);
  return element('entry', { xmlns: ATOM }, element('content', { type: 'application/xml' }, description));
}
