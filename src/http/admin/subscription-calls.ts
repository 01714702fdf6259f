// Answers GET, PUT and DELETE of subscriptions. A new subscription may have a first rule.

import { describeSubscription } from '../../broker/entities/topic-description.js';
import type { Result, SubscriptionInfo } from '../../broker/result.js';
import type { RuleDescription } from '../../broker/rules/rule-description.js';
import { DEFAULT_RULE } from '../../broker/rules/rule-description.js';
import { named } from '../../description/value-error.js';
import { expectResult, type RoutedCall } from '../http-context.js';
import { childNamed, elementText, type XmlElement } from '../xml/xml-element.js';
import { atomContextOf, readContent } from './admin-call.js';
import { entryResponse } from './atom.js';
import { putQueue } from './entity-calls.js';
import { subscriptionEntry } from './entity-entries.js';
import { DEFAULT_RULE_ELEMENT, QUEUE_SCHEMA, SUBSCRIPTION_SCHEMA } from './entity-schemas.js';
import { type PutSteps, putEntity, unchangedProperties } from './put-entity.js';
import { readDescription } from './read-description.js';
import { readRuleXml } from './rule-xml.js';

export async function answerGetSubscription(call: RoutedCall): Promise<Response> {
  const { topic: topicName, subscription: name } = call.names;
  const found = await call.context.engine.ask({ kind: 'get-subscription-info', topicName, name });
  return entryResponse(subscriptionEntry(infoOf(found), atomContextOf(call)), call);
}

export async function answerDeleteSubscription({ names, context }: RoutedCall): Promise<Response> {
  const { topic: topicName, subscription: name } = names;
  expectResult(await context.engine.ask({ kind: 'delete-subscription', topicName, name }), 'done');
  return new Response(null, { status: 200 });
}

export async function answerPutSubscription(call: RoutedCall): Promise<Response> {
  const { topic: topicName, subscription: name } = call.names;
  const element = await readContent(call, [SUBSCRIPTION_SCHEMA.element, QUEUE_SCHEMA.element]);
  // The name of a queue may have the form of this path.
  if (element.localName === QUEUE_SCHEMA.element) return putQueue(element, call, call.path.join('/'));
  const read = readDescription(SUBSCRIPTION_SCHEMA, element);
  const rule = readFirstRule(element);
  const rules = rule === undefined ? undefined : [rule];
  const subscription: PutSteps<SubscriptionInfo> = {
    find: { kind: 'get-subscription-info', topicName, name },
    describe: (before) =>
      describeSubscription(name, { ...unchangedProperties(before, SUBSCRIPTION_SCHEMA.fixed), ...read }),
    put: (description, expected) => ({ kind: 'put-subscription', topicName, description, rules, expected }),
    infoOf,
    toEntry: subscriptionEntry,
  };
  return putEntity(subscription, call);
}

function infoOf(answer: Result): SubscriptionInfo {
  return expectResult(answer, 'subscription-info').subscription;
}

/** TOP-02: this rule replaces the default rule, which matches everything. */
function readFirstRule(description: XmlElement): RuleDescription | undefined {
  const given = childNamed(description, DEFAULT_RULE_ELEMENT);
  if (given === undefined) return undefined;
  const name = childNamed(given, 'Name');
  const text = name === undefined ? '' : elementText(name).trim();
  return named(DEFAULT_RULE_ELEMENT, () => readRuleXml(text === '' ? DEFAULT_RULE.name : text, given));
}
