// Creates entities that clients send to or receive from and that are missing, with `--auto-create`. A sender and a schedule create a
// queue; a receiver creates its queue, or its topic and subscription. Nothing else does: no peek, sub-queue, administration, read over
// HTTP, and no destination of forwarding.

import type { Command } from './broker/contract/command.js';
import { type DescribedEntity, pathOf } from './broker/contract/entities/entity.js';
import { parseEntityPath } from './broker/contract/entities/entity-path.js';
import { describeQueue } from './broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from './broker/contract/entities/topic-description.js';
import type { Result } from './broker/contract/result.js';
import { ServiceBusError } from './broker/contract/service-bus-error.js';

type AutoCreateOptions = {
  readonly ask: (command: Command) => Promise<Result>;
  /** Writes a line for each entity that is created. */
  readonly warn: (text: string) => void;
  /** Resolves with a sentence such as ` Did you mean 'orders'?`, or an empty text. */
  readonly similarTo: (path: string) => Promise<string>;
  /** The largest message of a new queue. */
  readonly maxMessageSizeBytes: number;
};

export class AutoCreate {
  /** The largest message of an entity that is not there yet. */
  readonly maxMessageSizeBytes: number;
  readonly #options: AutoCreateOptions;

  constructor(options: AutoCreateOptions) {
    this.#options = options;
    this.maxMessageSizeBytes = options.maxMessageSizeBytes;
  }

  /** Whether a sender could create an entity at this path. */
  isForSenders(path: string): boolean {
    const { storeKind, subscriptionName } = parseEntityPath(path);
    return storeKind === 'main' && subscriptionName === undefined;
  }

  /** For a sender or a schedule. Rejects with the ServiceBusError that refuses the queue. */
  async forSender(path: string): Promise<void> {
    if (!this.isForSenders(path) || (await this.#isThere(path))) return;
    await this.#create({ type: 'queue', description: describeQueue(path) }, 'a sender');
  }

  /** For a receiver, or one that accepts a session. Rejects with the ServiceBusError that refuses it. */
  async forReceiver(path: string, { requiresSession }: { readonly requiresSession: boolean }): Promise<void> {
    const { name, subscriptionName, storeKind } = parseEntityPath(path);
    if (storeKind !== 'main' || (await this.#isThere(path))) return;
    const cause = requiresSession ? 'a receiver of a session' : 'a receiver';
    if (subscriptionName === undefined) {
      await this.#create({ type: 'queue', description: describeQueue(path, { requiresSession }) }, cause);
      return;
    }
    await this.#createTopic(name, path, cause);
    const description = describeSubscription(subscriptionName, { requiresSession });
    await this.#create({ type: 'subscription', topicName: name, description }, cause);
  }

  async #createTopic(name: string, path: string, cause: string): Promise<void> {
    const found = await this.#options.ask({ kind: 'get-entity', entityPath: name });
    if (found.kind !== 'entity-info') {
      await this.#create({ type: 'topic', description: describeTopic(name) }, cause);
      return;
    }
    if (found.entity.type !== 'queue') return;
    const { subscriptionName = '' } = parseEntityPath(path);
    const text =
      `'${name}' is a queue, so it has no subscription '${subscriptionName}'. If a sender came first and --auto-create made it a queue: ` +
      `delete the queue, and start with --topic ${name}/${subscriptionName}.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: path }); // the wire has one text for all that are missing
  }

  async #isThere(path: string): Promise<boolean> {
    const found = await this.#options.ask({ kind: 'find-entity', entityPath: path });
    return found.kind !== 'failed' || found.error.reason !== 'entity-not-found';
  }

  /** The name is suggested before the new one is there, to which it would be most similar. */
  async #create(entity: DescribedEntity, cause: string): Promise<void> {
    const { ask, warn, similarTo } = this.#options;
    const path = pathOf(entity);
    const similar = await similarTo(path);
    const result = await ask({ kind: 'put-entity', expected: 'absent', ...entity });
    if (result.kind !== 'failed') {
      warn(
        `Created the ${entity.type} '${path}', which ${cause} named and which was missing (--auto-create).${similar}`,
      );
    } else if (result.error.reason !== 'entity-already-exists') throw result.error; // another client's link may have been first
  }
}
