// Lists: of queues, of topics, of a topic's subscriptions, of a subscription's rules.

import { subscriptionPathOf } from '../../broker/entity/entity-path.js';
import { expectResult } from '../broker-answers.js';
import type { AdminCall } from './admin-call.js';
import { placeOf } from './admin-call.js';
import type { ListResource } from './admin-resource.js';
import { feedResponse, type Told } from './atom.js';
import { type Page, readPage } from './page.js';
import { toldQueue, toldRule, toldSubscription, toldTopic } from './told-entities.js';

export async function listAll(resource: ListResource, call: AdminCall): Promise<Response> {
  const page = readPage(call.url);
  // One more than is told, which says whether there is a next page.
  const told = await list(resource, { ...page, maxCount: page.maxCount + 1 }, call);
  return feedResponse(told, TITLES[resource.kind], page, call.url);
}

const TITLES = {
  queues: 'Queues',
  topics: 'Topics',
  subscriptions: 'Subscriptions',
  rules: 'Rules',
} as const;

async function list(resource: ListResource, page: Page, call: AdminCall): Promise<readonly Told[]> {
  const { engine } = call.context;
  switch (resource.kind) {
    case 'queues': {
      const { queues } = expectResult(await engine.ask({ kind: 'list-queues', ...page }), 'queues');
      return queues.map((queue) => toldQueue(queue, placeOf(call)));
    }
    case 'topics': {
      const { topics } = expectResult(await engine.ask({ kind: 'list-topics', ...page }), 'topics');
      return topics.map((topic) => toldTopic(topic, placeOf(call)));
    }
    case 'subscriptions': {
      const { topicName } = resource;
      const listed = await engine.ask({ kind: 'list-subscriptions', topicName, ...page });
      const { subscriptions } = expectResult(listed, 'subscriptions');
      return subscriptions.map((subscription) => toldSubscription(subscription, placeOf(call)));
    }
    case 'rules':
      return listRules(subscriptionPathOf(resource.topicName, resource.subscriptionName), page, call);
    default:
      return resource satisfies never;
  }
}

async function listRules(entityPath: string, page: Page, { context }: AdminCall): Promise<readonly Told[]> {
  const [listed, found] = await Promise.all([
    context.engine.ask({ kind: 'list-rules', entityPath, ...page }),
    context.engine.ask({ kind: 'find-entity', entityPath }),
  ]);
  const { rules } = expectResult(listed, 'rules');
  const { path } = expectResult(found, 'entity');
  return rules.map((rule) => toldRule(rule, path));
}
