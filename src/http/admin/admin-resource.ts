// What the path of a request to the administration means. Its words may be in any case, names are as they are given.

export type Entity = { readonly kind: 'entity'; readonly name: string };
export type SubscriptionResource = {
  readonly kind: 'subscription';
  readonly topicName: string;
  readonly name: string;
};
export type RuleResource = {
  readonly kind: 'rule';
  readonly topicName: string;
  readonly subscriptionName: string;
  readonly name: string;
};
export type ListResource =
  | { readonly kind: 'queues' }
  | { readonly kind: 'topics' }
  | { readonly kind: 'subscriptions'; readonly topicName: string }
  | { readonly kind: 'rules'; readonly topicName: string; readonly subscriptionName: string };

export type AdminResource =
  | { readonly kind: 'services' }
  | { readonly kind: 'namespace' }
  | ListResource
  | Entity
  | SubscriptionResource
  | RuleResource;

/** Undefined when it is the path of nothing. */
export function readResource(path: readonly string[]): AdminResource | undefined {
  const first = path[0]?.toLowerCase();
  if (first === undefined) return { kind: 'services' };
  if (first.startsWith('$')) return readReserved(path.map((segment) => segment.toLowerCase()));
  return readRules(path) ?? readSubscriptions(path) ?? { kind: 'entity', name: path.join('/') };
}

function readReserved([first, second, ...more]: readonly string[]): AdminResource | undefined {
  if (more.length > 0) return undefined;
  if (first === '$namespaceinfo' && second === undefined) return { kind: 'namespace' };
  if (first !== '$resources') return undefined;
  return second === 'queues' || second === 'topics' ? { kind: second } : undefined;
}

function readRules(path: readonly string[]): AdminResource | undefined {
  const last = path.at(-1)?.toLowerCase();
  const at = last === 'rules' && isSubscription(path.slice(0, -1)) ? path.length - 1 : path.length - 2;
  const subscription = path.slice(0, at);
  if (path[at]?.toLowerCase() !== 'rules' || !isSubscription(subscription)) return undefined;
  const [topicName, subscriptionName] = [subscription.slice(0, -2).join('/'), subscription.at(-1) ?? ''];
  const name = path[at + 1];
  return name === undefined
    ? { kind: 'rules', topicName, subscriptionName }
    : { kind: 'rule', topicName, subscriptionName, name };
}

function readSubscriptions(path: readonly string[]): AdminResource | undefined {
  if (isSubscription(path)) {
    return { kind: 'subscription', topicName: path.slice(0, -2).join('/'), name: path.at(-1) ?? '' };
  }
  const isList = path.length > 1 && path.at(-1)?.toLowerCase() === 'subscriptions';
  return isList ? { kind: 'subscriptions', topicName: path.slice(0, -1).join('/') } : undefined;
}

/** `topic/Subscriptions/name`; the name of a topic may have slashes in it. */
function isSubscription(path: readonly string[]): boolean {
  return path.length > 2 && path.at(-2)?.toLowerCase() === 'subscriptions';
}
