// Answers GET of the lists of queues, topics, subscriptions and rules with a page of them, as a feed.

import type { EntityList } from '../../broker/contract/command.js';
import { subscriptionPathOf } from '../../broker/contract/entities/entity-path.js';
import { expectResult, type RoutedCall } from '../http-context.js';
import { atomContextOf } from './admin-call.js';
import { type AtomEntry, feedResponse, type PageRange, readPageRange } from './atom.js';
import { entityEntry, ruleEntry } from './entity-entries.js';
import { readListFilter, refuseFilter } from './list-filter.js';

export function listQueues(call: RoutedCall): Promise<Response> {
  return listFiltered('Queues', { type: 'queue' }, call);
}

export function listTopics(call: RoutedCall): Promise<Response> {
  return listFiltered('Topics', { type: 'topic' }, call);
}

export function listSubscriptions(call: RoutedCall): Promise<Response> {
  refuseFilter(call.url);
  return listFiltered('Subscriptions', { type: 'subscription', topicName: call.names.topic }, call);
}

/** The entities of a page. With a filter, all entities are listed first and then filtered. */
function listFiltered(title: string, which: EntityList, call: RoutedCall): Promise<Response> {
  return answerPage(title, call, async (page) => {
    const matches = readListFilter(call.url);
    const range = matches === undefined ? page : { skip: 0, maxCount: Number.MAX_SAFE_INTEGER };
    const listed = await call.context.engine.ask({ kind: 'list-entities', ...which, ...range });
    const { entities } = expectResult(listed, 'entities');
    const shown =
      matches === undefined ? entities : entities.filter(matches).slice(page.skip, page.skip + page.maxCount);
    return shown.map((entity) => entityEntry(entity, atomContextOf(call)));
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
