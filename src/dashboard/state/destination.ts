// To where the messages of a store are sent.

/** The queue of a dead letter, the topic of a subscription. */
export function destinationOf(store: string, source?: string): string {
  return (source ?? store)
    .replace(/\/\$(?:Transfer\/)?\$?DeadLetterQueue$|\/\$Transfer(?:\/\$DeadLetterQueue)?$/i, '')
    .replace(/\/Subscriptions\/[^/]+$/i, '');
}
