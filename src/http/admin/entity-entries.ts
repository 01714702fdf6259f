// Queues, topics, subscriptions and rules as ATOM entries.

import { RULE_ELEMENT } from '../../atom/entity-elements.js';
import { DEFAULT_SCHEME } from '../../atom/forward-target.js';
import { ruleXml } from '../../atom/rule-xml.js';
import { readUnknownElements } from '../../atom/unknown-elements.js';
import { textElement } from '../../atom/xml/write-xml.js';
import type { RuleRecord } from '../../broker/contract/event.js';
import type { EntityInfo } from '../../broker/contract/result.js';
import { formatDuration } from '../../description/duration.js';
import { type EntityProperty, officialName } from '../../description/entity-property.js';
import type { AtomContext, AtomEntry } from './atom.js';
import { type EntitySchema, QUEUE_SCHEMA, SUBSCRIPTION_SCHEMA, TOPIC_SCHEMA } from './entity-schemas.js';

export function entityEntry(info: EntityInfo, context: AtomContext): AtomEntry {
  switch (info.type) {
    case 'queue':
      return entryOf(QUEUE_SCHEMA, info, context);
    case 'topic':
      return entryOf(TOPIC_SCHEMA, info, context);
    case 'subscription':
      return entryOf(SUBSCRIPTION_SCHEMA, info, context);
  }
}

function entryOf<Given extends OtherProperties, Info extends EntityInfo & { readonly description: Given }>(
  schema: EntitySchema<Info, Given>,
  info: Info,
  context: AtomContext,
): AtomEntry {
  const isInTopic = info.type === 'subscription';
  return {
    title: info.description.name,
    isInTopic,
    // The answer to an update does not say when a queue or topic was published.
    publishedTime: context.answerTo === 'update' && !isInTopic ? undefined : info.createdTime,
    updatedTime: info.updatedTime,
    contentName: schema.element,
    content: descriptionXml(schema, info, context),
  };
}

export function ruleEntry(rule: RuleRecord): AtomEntry {
  return {
    title: rule.description.name,
    isInTopic: true,
    publishedTime: rule.createdTime,
    updatedTime: rule.createdTime,
    contentName: RULE_ELEMENT,
    content: ruleXml(rule.description, rule.createdTime),
  };
}

type OtherProperties = { readonly otherProperties?: string | undefined };

/** The elements inside a description: all elements of the schema in the service's order, then the unknown ones. */
function descriptionXml<Given extends OtherProperties, Info extends { readonly description: Given }>(
  schema: EntitySchema<Info, Given>,
  info: Info,
  context: AtomContext,
): string {
  const { description } = info;
  const { byName, atEnd } = readUnknownElements(description.otherProperties, schema);
  const elements = schema.order.map((name) => {
    const [computed, constant, stored] = [schema.computed[name], schema.constant[name], byName.get(name)];
    if (constant !== undefined && stored !== undefined) return stored;
    if (computed !== undefined) return inScheme(computed(info, context), stored);
    if (constant !== undefined) return textElement(name, constant);
    const property = schema.properties.find((one) => officialName(one.name) === name);
    return property === undefined ? undefined : propertyXml(name, property.type, description[property.field]);
  });
  return elements.join('') + atEnd;
}

/** A forwarding target, with the scheme of its client if one is stored. */
function inScheme(xml: string | undefined, stored: string | undefined): string | undefined {
  const scheme = stored?.replace(/<[^<>]*>/g, '');
  return scheme === undefined ? xml : xml?.replace(`>${DEFAULT_SCHEME}://`, () => `>${scheme}://`);
}

function propertyXml(
  name: string,
  type: EntityProperty<unknown>['type'],
  value: unknown,
): string | undefined {
  if (value === undefined) return undefined;
  return textElement(name, type === 'duration' ? formatDuration(Number(value)) : String(value));
}
