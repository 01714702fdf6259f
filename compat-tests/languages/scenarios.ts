// The behaviours that the programs of all languages show, in the order in which they run and stand in the table.

export type Scenario = {
  readonly id: string;
  /** The behaviour of the broker in it, as the table says. */
  readonly title: string;
  /** It runs when the broker has been killed and started again, and finds what this scenario left. */
  readonly restartOf?: string;
};

export const SCENARIOS: readonly Scenario[] = [
  { id: 'send-receive', title: 'body, properties and application properties arrive as they were sent' },
  { id: 'batch', title: "a batch of the library's own" },
  { id: 'peek-lock-complete', title: 'a completed message is gone' },
  { id: 'abandon-count', title: 'an abandoned message comes back, its delivery counted' },
  { id: 'lock-expiry', title: 'a lock that ends gives the message back' },
  { id: 'renew-lock', title: 'a renewed lock holds' },
  { id: 'receive-and-delete', title: 'receive and delete' },
  { id: 'dead-letter', title: 'dead letters with reason and description' },
  { id: 'max-delivery', title: 'the last delivery attempt ends in the dead-letter queue' },
  { id: 'defer', title: 'a deferred message is received by its number' },
  { id: 'schedule-cancel', title: 'a scheduled message is cancelled' },
  { id: 'scheduled-arrives', title: 'a scheduled message arrives when it is due' },
  { id: 'peek', title: 'peek' },
  { id: 'browse', title: 'browsing as plain AMQP and JMS do' },
  { id: 'selector-refused', title: 'a JMS selector is refused without JMS 2.0' },
  { id: 'delivery-delay', title: 'delivery delay of JMS' },
  { id: 'prefetched-ack-after-close', title: 'outcomes of prefetched messages after their link is gone' },
  { id: 'duplicate', title: 'duplicate detection' },
  { id: 'time-to-live', title: 'time to live' },
  { id: 'session-accept', title: 'sessions are accepted by id and as the next one, and are exclusive' },
  { id: 'session-state', title: 'session state is set, read and cleared' },
  { id: 'session-lock-renew', title: 'a renewed session lock holds' },
  {
    id: 'session-deferred',
    title: 'a deferred message of a session is settled while the session is held, however long',
  },
  { id: 'processor', title: 'a processor handles, renews, completes and abandons messages' },
  {
    id: 'session-processor',
    title: 'a processor of sessions keeps each, in its order, longer than its lock lasts',
  },
  { id: 'topic-rules', title: 'a topic gives each subscription what its rules take' },
  { id: 'forwarding', title: 'auto-forwarding' },
  { id: 'send-back', title: 'a received message is sent again as it is' },
  { id: 'settle-through-management', title: 'settlement when the link is gone' },
  { id: 'outcome-after-detach', title: 'an outcome on a link that is gone is ignored: the lock holds' },
  { id: 'transaction-commit', title: 'what a transaction sends and settles shows when it is committed' },
  {
    id: 'transaction-rollback',
    title: 'a transaction rolled back leaves nothing, and its messages are there again',
  },
  { id: 'transaction-outcomes', title: 'abandon, defer and dead-letter in a transaction' },
  { id: 'transaction-schedule', title: 'a message is scheduled in a transaction' },
  { id: 'transaction-session', title: 'messages of a session in a transaction' },
  { id: 'transaction-subscription', title: 'messages of a subscription in a transaction, with its topic' },
  {
    id: 'transaction-cross-entity',
    title: 'received from one queue and sent to others and to a topic in one transaction',
  },
  { id: 'transaction-handlers', title: 'handlers of messages at once, each with its transaction' },
  { id: 'transaction-send-via', title: 'messages sent to an entity through another, in a transaction' },
  { id: 'transacted-session', title: 'a transacted session of JMS: redelivery, prefetch, several consumers' },
  { id: 'transaction-lost', title: 'a transaction whose connection ends is rolled back' },
  {
    id: 'transaction-refused',
    title: 'a refusal in a transaction reaches the program, by the operation or by the commit',
  },
  { id: 'errors', title: "the library's own codes for what is missing, wrong or too large" },
  { id: 'admin-entities', title: 'administration of queues, topics and subscriptions over TLS' },
  { id: 'admin-rules', title: 'administration of rules with typed values' },
  { id: 'admin-counts', title: 'message counts' },
  { id: 'created-entities', title: 'entities that `jitney create` made' },
  {
    id: 'auto-create',
    title:
      'with `--auto-create`, sending and receiving create what is missing, and the administration creates nothing',
  },
  { id: 'auto-create-peek', title: 'with `--auto-create`, a peek creates nothing' },
  { id: 'tls-amqp', title: 'AMQP over TLS' },
  { id: 'websocket', title: 'AMQP over WebSocket' },
  { id: 'websocket-tls', title: 'AMQP over WebSocket and TLS' },
  { id: 'identity-amqp', title: 'a managed identity sends and receives' },
  { id: 'identity-admin', title: 'a managed identity administers' },
  { id: 'strict-sas', title: 'strict authorization lets the right key in' },
  { id: 'strict-wrong-key', title: 'strict authorization refuses a wrong key at once' },
  { id: 'strict-missing-entity', title: 'a missing entity and a refused key give different errors' },
  { id: 'namespaces', title: 'two namespaces at once, by the names of their keys: nothing crosses' },
  { id: 'faults', title: 'what the library reports of each fault, and how often it tries' },
  {
    id: 'jms2-queues',
    title:
      'JMS 2.0: queues made by using them, request and reply over a temporary queue, one producer for all',
  },
  { id: 'jms2-topics', title: 'JMS 2.0: durable and shared subscriptions and others, and unsubscribe' },
  { id: 'jms2-transactions', title: 'JMS 2.0: a transacted session about several queues and a topic' },
  { id: 'jms2-selectors', title: 'JMS 2.0: selectors of consumers, browsers and durable subscriptions' },
  { id: 'jms2-restart-before', title: 'JMS 2.0: durable subscriptions gather messages before a crash' },
  {
    id: 'jms2-restart-after',
    title: 'and go on after it',
    restartOf: 'jms2-restart-before',
  },
  { id: 'restart-before', title: 'messages and session state are accepted before a crash' },
  { id: 'restart-after', title: 'and are all there after it', restartOf: 'restart-before' },
];

/** The scenarios with these ids, all if none is given, each with the one that it follows. */
export function chooseScenarios(
  ids: readonly string[],
  known: readonly Scenario[] = SCENARIOS,
): readonly Scenario[] {
  const unknown = ids.filter((id) => !known.some((scenario) => scenario.id === id));
  if (unknown.length > 0) {
    const all = known.map(({ id }) => id).join(', ');
    throw new RangeError(`There is no scenario ${unknown.join(', ')}; there are ${all}.`);
  }
  if (ids.length === 0) return known;
  const needed = known.filter(({ id }) => ids.includes(id)).map(({ restartOf }) => restartOf);
  return known.filter(({ id }) => ids.includes(id) || needed.includes(id));
}
