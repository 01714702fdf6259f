// The objects by which a program describes entities, rules and policies to `startEmulator`.

import type { AccessRight } from '../broker/contract/entities/authorization-rule.js';
import type { Action, Filter } from '../broker/contract/rule-description.js';
import type { QueueProperties, SubscriptionProperties, TopicProperties } from './given-properties.js';

/** A queue as an object, such as `{ name: 'orders', lockDuration: 'PT5S' }`. Missing properties get Azure's defaults. */
export type GivenQueue = { readonly name: string } & QueueProperties;

/** A topic as an object. Missing properties get Azure's defaults. */
export type GivenTopic = { readonly name: string } & TopicProperties & {
    /**
     * Subscriptions to create: `'audit'`, `'audit?lockDuration=PT5S'`, or an object. Default: none; a topic without
     * subscriptions discards its messages.
     */
    readonly subscriptions?: readonly (string | GivenSubscription)[];
  };

/** A subscription as an object, such as `{ name: 'eu', filter: "region = 'EU'" }`. Missing properties get Azure's defaults. */
export type GivenSubscription = { readonly name: string } & SubscriptionProperties & {
    /** The filter of its only rule, `$Default`. Cannot be combined with `rules`. */
    readonly filter?: GivenFilter;
    /**
     * Exactly the rules that the subscription has after the start; other rules of earlier starts are removed. An empty list
     * means one rule, `$Default`, that matches every message. Default: a new subscription gets that rule, and an existing one
     * keeps its rules.
     */
    readonly rules?: readonly GivenRule[];
  };

/** A rule of a subscription: which messages it selects, and how it changes their copies. */
export type GivenRule = {
  readonly name: string;
  /** Selects messages. Default `true`: every message. */
  readonly filter?: GivenFilter;
  /** Changes the subscription's copy of a message, such as `"SET sys.Label = 'x'"`. Default: no change. */
  readonly action?: string | GivenSql | Action | undefined;
};

/**
 * A filter: SQL such as `"color = 'blue'"`; `true` for every message or `false` for none; an object of properties that a
 * message must equal; or a filter object as the SDK or Jitney lists it. Invalid SQL is a JitneyError with line and column.
 */
export type GivenFilter = string | boolean | GivenSql | GivenCorrelation | Filter;

/** A SQL filter or action in the form of the SDK's SqlRuleFilter and SqlRuleAction. */
export type GivenSql = {
  readonly sqlExpression: string;
  /** Values of the parameters that the SQL names, by name with its `@`: `{ '@color': 'blue' }`. */
  readonly sqlParameters?: Readonly<Record<string, GivenValue>>;
};

/** A correlation filter in the form of the SDK's CorrelationRuleFilter: a message must equal every given property. */
export type GivenCorrelation = {
  readonly contentType?: string;
  readonly correlationId?: string;
  readonly messageId?: string;
  readonly replyTo?: string;
  readonly replyToSessionId?: string;
  readonly sessionId?: string;
  readonly subject?: string;
  readonly to?: string;
  readonly applicationProperties?: Readonly<Record<string, GivenValue>>;
};

/** A value that a filter compares with: a safe whole number is an int or a long, another number a double, a date a timestamp. */
export type GivenValue = string | number | bigint | boolean | Date;

/** A shared access policy of the namespace. As in Azure, the right `Manage` requires `Send` and `Listen` too. */
export type GivenPolicy = {
  readonly keyName: string;
  readonly rights: readonly AccessRight[];
  readonly primaryKey: string;
  readonly secondaryKey?: string;
};
