// Answers GET of the lists of queues, topics, subscriptions and rules with a page of them, as a feed.

import { subscriptionPathOf } from '../../broker/entities/entity-path.js';
import { expectResult, type RoutedCall } from '../http-context.js';
import { atomContextOf } from './admin-call.js';
import { type AtomEntry, feedResponse, type PageRange, readPageRange } from './atom.js';
import { queueEntry, ruleEntry, subscriptionEntry, topicEntry } from './entity-entries.js';
import { type Listed, readListFilter, refuseFilter } from './list-filter.js';

export function listQueues(call: RoutedCall): Promise<Response> {
  return answerPage('Queues', call, async (page) => {
    const queues = await filtered(call, page, async (range) => {
      const listed = await call.context.engine.ask({ kind: 'list-queues', ...range });
      return expectResult(listed, 'queues').queues;
    });
    return queues.map((queue) => queueEntry(queue, atomContextOf(call)));
  });
}

export function listTopics(call: RoutedCall): Promise<Response> {
  return answerPage('Topics', call, async (page) => {
    const topics = await filtered(call, page, async (range) => {
      const listed = await call.context.engine.ask({ kind: 'list-topics', ...range });
      return expectResult(listed, 'topics').topics;
    });
    return topics.map((topic) => topicEntry(topic, atomContextOf(call)));
  });
}

export function listSubscriptions(call: RoutedCall): Promise<Response> {
  refuseFilter(call.url);
  return answerPage('Subscriptions', call, async (page) => {
    const topicName = call.names.topic;
    const listed = await call.context.engine.ask({ kind: 'list-subscriptions', topicName, ...page });
    const { subscriptions } = expectResult(listed, 'subscriptions');
    return subscriptions.map((subscription) => subscriptionEntry(subscription, atomContextOf(call)));
  });
}

export function listRules(call: RoutedCall): Promise<Response> {
  refuseFilter(call.url);
  return answerPage('Rules', call, async (page) => {
    const entityPath = subscriptionPathOf(call.names.topic, call.names.subscription);
    const listed = await call.context.engine.ask({ kind: 'list-rules', entityPath, ...page });
    const { rules } = expectResult(listed, 'rules');
    return rules.map(ruleEntry);
  });
}

/** The entities of a page. With a filter, all are listed. */
async function filtered<Info extends Listed>(
  { url }: RoutedCall,
  page: PageRange,
  list: (range: PageRange) => Promise<readonly Info[]>,
): Promise<readonly Info[]> {
  const matches = readListFilter(url);
  if (matches === undefined) return list(page);
  const all = await list({ skip: 0, maxCount: Number.MAX_SAFE_INTEGER });
  return all.filter(matches).slice(page.skip, page.skip + page.maxCount);
}

async function answerPage(
  title: string,
  call: RoutedCall,
  list: (page: PageRange) => Promise<readonly AtomEntry[]>,
): Promise<Response> {
  const page = readPageRange(call.url);
  // One entry more than the page shows whether there is a next page.
  const entries = await list({ ...page, maxCount: page.maxCount + 1 });
  return feedResponse(entries, title, page, call);
}
