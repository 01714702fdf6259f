// Answers GET of the lists of queues, topics, subscriptions and rules with a page of them, as a feed.

import { subscriptionPathOf } from '../../broker/entities/entity-path.js';
import { expectResult, type RoutedCall } from '../http-context.js';
import { atomContextOf } from './admin-call.js';
import { type AtomEntry, feedResponse, type PageRange, readPageRange } from './atom.js';
import { queueEntry, ruleEntry, subscriptionEntry, topicEntry } from './entity-entries.js';

export function listQueues(call: RoutedCall): Promise<Response> {
  return answerPage('Queues', call, async (page) => {
    const listed = await call.context.engine.ask({ kind: 'list-queues', ...page });
    const { queues } = expectResult(listed, 'queues');
    return queues.map((queue) => queueEntry(queue, atomContextOf(call)));
  });
}

export function listTopics(call: RoutedCall): Promise<Response> {
  return answerPage('Topics', call, async (page) => {
    const listed = await call.context.engine.ask({ kind: 'list-topics', ...page });
    const { topics } = expectResult(listed, 'topics');
    return topics.map((topic) => topicEntry(topic, atomContextOf(call)));
  });
}

export function listSubscriptions(call: RoutedCall): Promise<Response> {
  return answerPage('Subscriptions', call, async (page) => {
    const topicName = call.names.topic;
    const listed = await call.context.engine.ask({ kind: 'list-subscriptions', topicName, ...page });
    const { subscriptions } = expectResult(listed, 'subscriptions');
    return subscriptions.map((subscription) => subscriptionEntry(subscription, atomContextOf(call)));
  });
}

export function listRules(call: RoutedCall): Promise<Response> {
  return answerPage('Rules', call, async (page) => {
    const entityPath = subscriptionPathOf(call.names.topic, call.names.subscription);
    const listed = await call.context.engine.ask({ kind: 'list-rules', entityPath, ...page });
    const { rules } = expectResult(listed, 'rules');
    return rules.map((rule) => ruleEntry(rule, entityPath));
  });
}

async function answerPage(
  title: string,
  { url }: RoutedCall,
  list: (page: PageRange) => Promise<readonly AtomEntry[]>,
): Promise<Response> {
  const page = readPageRange(url);
  // One entry more than the page shows whether there is a next page.
  const entries = await list({ ...page, maxCount: page.maxCount + 1 });
  return feedResponse(entries, title, page, url);
}
