// What the tests use of azure-sb, the SDK of long ago for Node, which speaks HTTP alone and has no types of its own.

declare module 'azure-sb' {
  type Callback<Value> = (error: unknown, value: Value) => void;
  type Done = (error: unknown) => void;

  export type OldMessage = {
    readonly body?: string;
    readonly contentType?: string;
    readonly location?: string;
    readonly customProperties?: Readonly<Record<string, unknown>>;
    readonly brokerProperties?: Readonly<Record<string, unknown>>;
  };
  export type OldDescription = Readonly<Record<string, unknown>>;
  type Receiving = { readonly isPeekLock?: boolean; readonly timeoutIntervalInS?: number };

  export interface ServiceBusService {
    sendQueueMessage(queue: string, message: OldMessage | string, done: Done): void;
    sendTopicMessage(topic: string, message: OldMessage | string, done: Done): void;
    receiveQueueMessage(queue: string, options: Receiving, answer: Callback<OldMessage>): void;
    receiveSubscriptionMessage(
      topic: string,
      subscription: string,
      options: Receiving,
      answer: Callback<OldMessage>,
    ): void;
    deleteMessage(message: OldMessage, done: Done): void;
    unlockMessage(message: OldMessage, done: Done): void;
    renewLockForMessage(message: OldMessage, done: Done): void;
    createQueue(queue: string, description: OldDescription, answer: Callback<OldDescription>): void;
    createQueueIfNotExists(queue: string, description: OldDescription, answer: Callback<boolean>): void;
    getQueue(queue: string, answer: Callback<OldDescription>): void;
    listQueues(page: OldDescription, answer: Callback<readonly OldDescription[]>): void;
    deleteQueue(queue: string, done: Done): void;
    createTopic(topic: string, description: OldDescription, answer: Callback<OldDescription>): void;
    createTopicIfNotExists(topic: string, description: OldDescription, answer: Callback<boolean>): void;
    getTopic(topic: string, answer: Callback<OldDescription>): void;
    listTopics(page: OldDescription, answer: Callback<readonly OldDescription[]>): void;
    deleteTopic(topic: string, done: Done): void;
    createSubscription(
      topic: string,
      subscription: string,
      description: OldDescription,
      answer: Callback<OldDescription>,
    ): void;
    getSubscription(topic: string, subscription: string, answer: Callback<OldDescription>): void;
    listSubscriptions(topic: string, page: OldDescription, answer: Callback<readonly OldDescription[]>): void;
    deleteSubscription(topic: string, subscription: string, done: Done): void;
    createRule(
      topic: string,
      subscription: string,
      rule: string,
      description: OldDescription,
      answer: Callback<OldDescription>,
    ): void;
    getRule(topic: string, subscription: string, rule: string, answer: Callback<OldDescription>): void;
    listRules(
      topic: string,
      subscription: string,
      page: OldDescription,
      answer: Callback<readonly OldDescription[]>,
    ): void;
    deleteRule(topic: string, subscription: string, rule: string, done: Done): void;
  }

  export function createServiceBusService(connectionString: string): ServiceBusService;
}
