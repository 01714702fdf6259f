// Creates the configured entities by commands, first on a copy; forwarding is set once all destinations exist.

import type { Command } from '../broker/contract/command.js';
import { type DescribedEntity, pathOf } from '../broker/contract/entities/entity.js';
import { parseSubscriberName } from '../broker/contract/entities/subscriber.js';
import type { StoredEvent } from '../broker/contract/event.js';
import type { Limits } from '../broker/contract/limits.js';
import type { RuleDescription } from '../broker/contract/rule-description.js';
import type { Entities } from './configured-entities.js';
import { refusedEntity } from './entity-refusal.js';
import { type Ask, listAllEntities } from './list-entities.js';

/** An entity with its rules, if they are configured. */
export type EntityToPut = DescribedEntity & { readonly rules?: readonly RuleDescription[] | undefined };

const ALL = { skip: 0, maxCount: Number.MAX_SAFE_INTEGER } as const;
const NOT_FORWARDING = { forwardTo: undefined, forwardDeadLetteredMessagesTo: undefined } as const;

/** Queues, then topics, each with its subscriptions behind it. */
export function entitiesToPut({ queues, topics }: Entities): readonly EntityToPut[] {
  return [
    ...queues.map((description) => ({ type: 'queue', description }) as const),
    ...topics.flatMap(({ description, subscriptions }): readonly EntityToPut[] => [
      { type: 'topic', description },
      ...subscriptions.map(
        (subscription) => ({ type: 'subscription', topicName: description.name, ...subscription }) as const,
      ),
    ]),
  ];
}

export class EntitySetup {
  readonly #ask: Ask;
  readonly #limits: Limits;

  constructor(ask: Ask, limits: Limits) {
    this.#ask = ask;
    this.#limits = limits;
  }

  /**
   * Creates or changes each entity so that it matches its description. Throws a JitneyError for a refused entity, or the
   * broker's own error when the configuration is not the cause.
   */
  async run(entities: readonly EntityToPut[]): Promise<void> {
    for (const entity of entities) {
      if (!isForwarding(entity) || !(await this.#exists(entity))) await this.#put(withoutForwarding(entity));
    }
    // Rules are set before forwarding starts, so that they apply to the first forwarded message.
    for (const entity of entities) {
      const { rules } = entity;
      if (rules === undefined || (await this.#hasSelector(entity, rules))) continue;
      // Replaces the rules of an existing subscription; a new one already has them. One command, so that a message that comes due
      // meanwhile meets all new rules or none.
      await this.#execute({ kind: 'set-rules', entityPath: pathOf(entity), rules }, entity);
    }
    // FWD-02
    for (const entity of entities) if (isForwarding(entity)) await this.#put(entity);
  }

  /** JMS-17: whether the default rule, which alone is configured, has given way to the selector of a JMS consumer. */
  async #hasSelector(entity: EntityToPut, rules: readonly RuleDescription[]): Promise<boolean> {
    if (parseSubscriberName(entity.description.name) === undefined) return false;
    const [rule] = rules;
    if (rules.length !== 1 || rule?.filter.kind !== 'true' || rule.action !== undefined) return false;
    const found = await this.#ask({ kind: 'list-rules', entityPath: pathOf(entity), ...ALL });
    if (found.kind !== 'rules') return false;
    const kinds = found.rules.map(({ description }) => description.filter.kind);
    return kinds.length === 1 && kinds[0] === 'selector';
  }

  async #exists(entity: DescribedEntity): Promise<boolean> {
    return (await this.#ask({ kind: 'get-entity', entityPath: pathOf(entity) })).kind !== 'failed';
  }

  #put(entity: EntityToPut): Promise<void> {
    return this.#execute({ kind: 'put-entity', ...entity }, entity);
  }

  async #execute(command: Command, entity: DescribedEntity): Promise<void> {
    const result = await this.#ask(command);
    if (result.kind === 'failed') throw refusedEntity(entity, this.#limits, result.error) ?? result.error;
  }
}

function isForwarding(entity: DescribedEntity): boolean {
  if (entity.type === 'topic') return false;
  const { forwardTo, forwardDeadLetteredMessagesTo } = entity.description;
  return forwardTo !== undefined || forwardDeadLetteredMessagesTo !== undefined;
}

function withoutForwarding(entity: EntityToPut): EntityToPut {
  switch (entity.type) {
    case 'queue':
      return { ...entity, description: { ...entity.description, ...NOT_FORWARDING } };
    case 'topic':
      return entity;
    case 'subscription':
      return { ...entity, description: { ...entity.description, ...NOT_FORWARDING } };
  }
}

export type SetupContext = {
  readonly ask: Ask;
  readonly limits: Limits;
  /** Makes a separate broker with these entities. */
  readonly copyOf: (stored: readonly StoredEvent[]) => Ask;
};

/**
 * Creates the entities, after the `deletions`, on a copy of the broker first, so that a refusal changes nothing. Throws what EntitySetup
 * throws.
 */
export async function setUpEntities(
  entities: readonly EntityToPut[],
  { ask, limits, copyOf }: SetupContext,
  deletions: readonly Command[] = [],
): Promise<void> {
  const copy = copyOf(await storedEntities(ask));
  for (const each of [copy, ask]) {
    for (const deletion of deletions) await each(deletion);
    await new EntitySetup(each, limits).run(entities);
  }
}

/** The broker's entities and rules as events for a copy, with invented store ids. */
async function storedEntities(ask: Ask): Promise<readonly StoredEvent[]> {
  const ids = new StoreIds();
  const topicStoreIds = new Map<string, number>();
  const events: StoredEvent[] = [];
  for (const info of await listAllEntities(ask)) {
    const stores = ids.take();
    if (info.type !== 'subscription') {
      if (info.type === 'topic') topicStoreIds.set(info.description.name, stores.storeId);
      events.push({ kind: 'entity-put', entity: { ...info, ...stores } });
      continue;
    }
    const topicStoreId = topicStoreIds.get(info.topicName);
    if (topicStoreId === undefined) continue;
    events.push({ kind: 'entity-put', entity: { ...info, ...stores, topicStoreId } });
    const found = await ask({ kind: 'list-rules', entityPath: pathOf(info), ...ALL });
    const rules = found.kind === 'rules' ? found.rules : [];
    events.push(...rules.map((rule) => ({ kind: 'rule-put', storeId: stores.storeId, rule }) as const));
  }
  return events;
}

class StoreIds {
  #last = 0;

  take(): { readonly storeId: number; readonly deadLetterStoreId: number } {
    return { storeId: ++this.#last, deadLetterStoreId: ++this.#last };
  }
}
