// A client of the administration of Service Bus, for Azure or a Jitney: entities and rules are created, changed, deleted, read and listed.

import {
  type EntityElements,
  QUEUE_ELEMENTS,
  SUBSCRIPTION_ELEMENTS,
  TOPIC_ELEMENTS,
} from '../atom/entity-elements.js';
import { readDescription } from '../atom/read-description.js';
import { readRuleXml } from '../atom/rule-xml.js';
import { entityRequest, ruleRequest } from '../atom/write-description.js';
import { childNamed, childrenOf, elementText, type XmlElement, XmlError } from '../atom/xml/xml-element.js';
import type { DescribedEntity, EntityType } from '../broker/contract/entities/entity.js';
import { subscriptionPathOf } from '../broker/contract/entities/entity-path.js';
import { describeQueue, type QueueDescription } from '../broker/contract/entities/queue-description.js';
import {
  describeSubscription,
  describeTopic,
  type SubscriptionDescription,
  type TopicDescription,
} from '../broker/contract/entities/topic-description.js';
import { LIMITS_OF_TIER, type Tier } from '../broker/contract/limits.js';
import type { RuleDescription } from '../broker/contract/rule-description.js';
import { ValueError } from '../description/value-error.js';
import { isOfKind, JitneyError } from '../jitney-error.js';
import { AdminConnection, type AdminConnectionOptions, type AdminRequest } from './admin-connection.js';
import type { Service } from './service.js';

export type AdministeredEntity = DescribedEntity & {
  /** All messages: active, scheduled, deferred, dead-lettered and in transfer; for a topic, its scheduled ones. */
  readonly messageCount: number;
};

/** The names in a path; `subscription` and `rule` are undefined where the path ends before them. */
export type AdminPath = {
  readonly entity: string;
  readonly subscription?: string;
};

/** The properties of an entity that a request gives; the service completes the others. */
export type GivenProperties = Partial<
  Omit<QueueDescription, 'name'> &
    Omit<TopicDescription, 'name' | 'status'> &
    Omit<SubscriptionDescription, 'name' | 'status'>
>;

type Page = { readonly skip: number; readonly count: number };

const PAGE = 100;
const PARTITIONS = 16;
const ELEMENTS = {
  queue: QUEUE_ELEMENTS,
  topic: TOPIC_ELEMENTS,
  subscription: SUBSCRIPTION_ELEMENTS,
} as const;

export class AdminClient {
  readonly #connection: AdminConnection;
  #tier: Promise<Tier> | undefined;

  constructor(service: Service, options: AdminConnectionOptions) {
    this.#connection = new AdminConnection(service, options);
  }

  /** For people. */
  get address(): string {
    return this.#connection.address;
  }

  close(): void {
    this.#connection.close();
  }

  /** The tier of the namespace. A key that may only manage an entity is not told: then `standard`. Throws a JitneyError, as all do. */
  tier(): Promise<Tier> {
    this.#tier ??= this.#readTier();
    return this.#tier;
  }

  async #readTier(): Promise<Tier> {
    try {
      const answer = await this.#connection.request({ method: 'GET', path: ['$namespaceinfo'] });
      const info = answer && descriptionIn(answer, 'NamespaceInfo');
      const sku = info && childNamed(info, 'MessagingSKU');
      const name = sku === undefined ? '' : elementText(sku).toLowerCase();
      return name === 'premium' || name === 'basic' ? name : 'standard';
    } catch (error) {
      if (isOfKind(error, 'access-refused')) return 'standard';
      throw error;
    }
  }

  /** The entity; undefined if there is none of this path. */
  async get(path: AdminPath): Promise<AdministeredEntity | undefined> {
    const entry = await this.#find({ method: 'GET', path: segmentsOf(path) });
    // For a missing queue or topic, the service answers with an empty feed.
    if (entry === undefined || entry.localName === 'feed') return undefined;
    return this.#entityIn(entry, path);
  }

  /** `rule`: the first rule of a subscription, in place of `$Default`. */
  async create(
    type: EntityType,
    path: AdminPath,
    given: GivenProperties,
    rule?: RuleDescription,
  ): Promise<void> {
    await this.#put(type, path, given, { isUpdate: false, rule });
  }

  /** Changes the given properties and keeps the others. */
  async update(type: EntityType, path: AdminPath, given: GivenProperties): Promise<void> {
    const entry = await this.#connection.request({ method: 'GET', path: segmentsOf(path) });
    const found = entry && descriptionIn(entry, ELEMENTS[type].element);
    if (found === undefined) throw this.#missing(path);
    // In the words of the service: it recognises a reported size and keeps the one that it stands for.
    const elements = ELEMENTS[type] as EntityElements<GivenProperties>;
    const before = this.#read(elements, found, path);
    await this.#put(type, path, { ...before, ...given }, { isUpdate: true });
  }

  async delete(path: AdminPath): Promise<void> {
    await this.#connection.request({ method: 'DELETE', path: segmentsOf(path) });
  }

  listQueues(): AsyncGenerator<AdministeredEntity & { readonly type: 'queue' }> {
    return this.#list(['$Resources', 'queues'], 'queue', (name) => ({ entity: name }));
  }

  listTopics(): AsyncGenerator<AdministeredEntity & { readonly type: 'topic' }> {
    return this.#list(['$Resources', 'topics'], 'topic', (name) => ({ entity: name }));
  }

  listSubscriptions(
    topicName: string,
  ): AsyncGenerator<AdministeredEntity & { readonly type: 'subscription' }> {
    const path = [...topicName.split('/'), 'Subscriptions'];
    return this.#list(path, 'subscription', (name) => ({ entity: topicName, subscription: name }));
  }

  /** The rules of a subscription, in the order of the service. */
  async *listRules(topicName: string, subscription: string): AsyncGenerator<RuleDescription> {
    const path = [...segmentsOf({ entity: topicName, subscription }), 'Rules'];
    for await (const entry of this.#entries(path)) yield this.#ruleIn(entry, path);
  }

  /** A rule of a subscription; undefined if there is none of this name. */
  async getRule(topicName: string, subscription: string, name: string): Promise<RuleDescription | undefined> {
    const path = rulePath(topicName, subscription, name);
    const entry = await this.#find({ method: 'GET', path });
    return entry === undefined || entry.localName === 'feed' ? undefined : this.#ruleIn(entry, path);
  }

  async createRule(topicName: string, subscription: string, rule: RuleDescription): Promise<void> {
    const path = rulePath(topicName, subscription, rule.name);
    await this.#connection.request({ method: 'PUT', path, body: ruleRequest(rule) });
  }

  async updateRule(topicName: string, subscription: string, rule: RuleDescription): Promise<void> {
    const path = rulePath(topicName, subscription, rule.name);
    await this.#connection.request({ method: 'PUT', path, body: ruleRequest(rule), isUpdate: true });
  }

  async deleteRule(topicName: string, subscription: string, name: string): Promise<void> {
    await this.#connection.request({ method: 'DELETE', path: rulePath(topicName, subscription, name) });
  }

  async #put(
    type: EntityType,
    path: AdminPath,
    given: GivenProperties,
    { isUpdate, rule }: { readonly isUpdate: boolean; readonly rule?: RuleDescription | undefined },
  ): Promise<void> {
    const { host } = this.#connection;
    const isForwarding = given.forwardTo !== undefined || given.forwardDeadLetteredMessagesTo !== undefined;
    const elements = ELEMENTS[type] as EntityElements<GivenProperties>;
    const body = entityRequest(elements, given, { host, rule });
    await this.#connection.request({ method: 'PUT', path: segmentsOf(path), body, isUpdate, isForwarding });
  }

  /** The answer to a GET; undefined for a missing entity. */
  async #find(request: AdminRequest): Promise<XmlElement | undefined> {
    try {
      return await this.#connection.request(request);
    } catch (error) {
      if (isOfKind(error, 'no-entity')) return undefined;
      throw error;
    }
  }

  async *#list<Type extends EntityType>(
    path: readonly string[],
    type: Type,
    pathOf: (name: string) => AdminPath,
  ): AsyncGenerator<AdministeredEntity & { readonly type: Type }> {
    for await (const entry of this.#entries(path)) {
      const entity = await this.#entityIn(entry, pathOf(titleOf(entry)));
      if (entity.type === type) yield entity as AdministeredEntity & { readonly type: Type };
    }
  }

  async *#entries(path: readonly string[]): AsyncGenerator<XmlElement> {
    let page: Page | undefined = { skip: 0, count: PAGE };
    while (page !== undefined) {
      const { skip, count }: Page = page;
      const query = { $skip: String(skip), $top: String(count) };
      const feed: XmlElement | undefined = await this.#connection.request({ method: 'GET', path, query });
      const children: readonly XmlElement[] = feed === undefined ? [] : childrenOf(feed);
      const entries = children.filter(({ localName }) => localName === 'entry');
      yield* entries;
      page = entries.length === 0 ? undefined : nextPage(children, { skip: skip + entries.length, count });
    }
  }

  async #entityIn(entry: XmlElement, path: AdminPath): Promise<AdministeredEntity> {
    const queue = descriptionIn(entry, QUEUE_ELEMENTS.element);
    if (queue !== undefined) {
      const read = withStoredSizes(this.#read(QUEUE_ELEMENTS, queue, path), await this.tier());
      return { type: 'queue', description: describeQueue(path.entity, read), messageCount: countIn(queue) };
    }
    const topic = descriptionIn(entry, TOPIC_ELEMENTS.element);
    if (topic !== undefined) {
      const read = withStoredSizes(this.#read(TOPIC_ELEMENTS, topic, path), await this.tier());
      return { type: 'topic', description: describeTopic(path.entity, read), messageCount: countIn(topic) };
    }
    const found = descriptionIn(entry, SUBSCRIPTION_ELEMENTS.element);
    if (found === undefined) throw this.#unreadable(segmentsOf(path), 'its answer describes no entity');
    const { entity: topicName, subscription: name = '' } = path;
    const description = describeSubscription(name, this.#read(SUBSCRIPTION_ELEMENTS, found, path));
    return { type: 'subscription', topicName, description, messageCount: countIn(found) };
  }

  /** The properties as the service reports them, without elements that are no properties, such as constants. */
  #read<Given>(elements: EntityElements<Given>, description: XmlElement, path: AdminPath): Partial<Given> {
    return this.#readable(segmentsOf(path), () => ({
      ...readDescription(elements, description),
      otherProperties: undefined,
    }));
  }

  #ruleIn(entry: XmlElement, path: readonly string[]): RuleDescription {
    const description = descriptionIn(entry, 'RuleDescription');
    if (description === undefined) throw this.#unreadable(path, 'its answer describes no rule');
    const name = childNamed(description, 'Name');
    return this.#readable(path, () =>
      readRuleXml(name === undefined ? titleOf(entry) : elementText(name), description),
    );
  }

  #readable<T>(path: readonly string[], read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof ValueError || error instanceof XmlError)
        throw this.#unreadable(path, error.message, error);
      throw error;
    }
  }

  #unreadable(path: readonly string[], why: string, cause?: unknown): JitneyError {
    const text = `What ${this.address} answers about '${path.join('/')}' cannot be read: ${why}`;
    return new JitneyError('refused', text, { cause });
  }

  #missing({ entity, subscription }: AdminPath): JitneyError {
    const name = subscription === undefined ? entity : subscriptionPathOf(entity, subscription);
    return new JitneyError('no-entity', `There is no '${name}' at ${this.address}`);
  }
}

function segmentsOf({ entity, subscription }: AdminPath): readonly string[] {
  const names = entity.split('/');
  return subscription === undefined ? names : [...names, 'Subscriptions', subscription];
}

function rulePath(topicName: string, subscription: string, name: string): readonly string[] {
  return [...segmentsOf({ entity: topicName, subscription }), 'Rules', name];
}

function descriptionIn(entry: XmlElement, name: string): XmlElement | undefined {
  const content = childNamed(entry, 'content');
  return content && childNamed(content, name);
}

function titleOf(entry: XmlElement): string {
  const title = childNamed(entry, 'title');
  return title === undefined ? '' : elementText(title).trim();
}

/** Where the next page begins, as its link says; undefined after the last page. */
function nextPage(children: readonly XmlElement[], usual: Page): Page | undefined {
  const attribute = ({ attributes }: XmlElement, name: string) =>
    attributes.find(({ localName }) => localName === name)?.value;
  const link = children.find((one) => one.localName === 'link' && attribute(one, 'rel') === 'next');
  if (link === undefined) return undefined;
  const query = new URLSearchParams(attribute(link, 'href')?.replace(/^[^?]*\?/, ''));
  const numberOf = (name: string) =>
    Number([...query].find(([key]) => key.toLowerCase() === name)?.[1] ?? Number.NaN);
  const [skip, count] = [numberOf('$skip'), numberOf('$top')];
  return {
    // A link that does not lead on would never end.
    skip: skip >= usual.skip ? skip : usual.skip,
    count: count > 0 ? count : usual.count,
  };
}

function countIn(description: XmlElement): number {
  const details = childNamed(description, 'CountDetails');
  const counts = details === undefined ? [] : childrenOf(details);
  return counts.reduce((sum, one) => sum + Number(elementText(one)), 0);
}

type Sizes = {
  readonly maxSizeInMegabytes?: number;
  readonly maxMessageSizeInKilobytes?: number | undefined;
  readonly enablePartitioning?: boolean;
};

/** The service reports the sum of all partitions, and the limit of the tier for an entity that sets none. */
function withStoredSizes<Read extends Sizes>(read: Read, tier: Tier): Read {
  const { maxSizeInMegabytes, maxMessageSizeInKilobytes, enablePartitioning = false } = read;
  const isSum = enablePartitioning && tier !== 'premium' && maxSizeInMegabytes !== undefined;
  const isLimit = (maxMessageSizeInKilobytes ?? 0) * 1024 === LIMITS_OF_TIER[tier].maxMessageSizeBytes;
  return {
    ...read,
    ...(isSum ? { maxSizeInMegabytes: maxSizeInMegabytes / PARTITIONS } : {}),
    ...(isLimit ? { maxMessageSizeInKilobytes: undefined } : {}),
  };
}
