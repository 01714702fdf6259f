// The fan-out of one message: judges the rules of its topic and makes the copies, as far as one turn goes (TOP-03, TOP-15).

import type { Limits } from '../contract/limits.js';
import { bytesOfChanges, type CopiedTo } from '../contract/message-properties.js';
import type { MessageView } from '../rules/message-view.js';
import type { RuleCompiler } from '../rules/rule-compiler.js';
import type { MessageReader } from '../store/message-reader.js';
import type { StoredMessage } from '../store/stored-message.js';
import { applyRule, UNCHANGED } from './apply-rule.js';
import { FilterResults } from './filter-results.js';
import type { Copy, Subscription, SubscriptionRule, Topic } from './topic.js';

// The costs, counted in copies without a change. `BehaviourOptions.maxFanOutCost` is 2,500: so many of them, 12,500 rules, 600 KB of
// texts that LIKE looks through, 160 copies that actions change, or 250 KB that actions write.
const COPY_COST = 1;
const RULE_COST = 0.2;
const CHARACTERS_PER_COST = 250;
/** One half is for the action, the other for the copy, which has an event and a row of its own. */
const HALF_ACTION_COST = 7.5;
const BYTES_PER_HALF_COST = 200;

export type FanOutParts = {
  readonly messageReader: MessageReader;
  readonly limits: Limits;
  readonly ruleCompiler: Pick<RuleCompiler, 'effort'>;
  /** For a topic whose first message waits with some of its copies made, how far it is. Only `copiedTo` of the message is durable. */
  readonly fanOuts: WeakMap<Topic, FanOutInProgress>;
};

export type FanOutInProgress = { readonly message: StoredMessage; readonly messageFanOut: MessageFanOut };

/** Several turns may go on with it, as long as the rules of the topic stay as they are. */
export class MessageFanOut {
  /** Whether all copies are made. */
  isComplete = false;
  /** Whether there was any copy. */
  hasCopies: boolean;
  readonly #topic: Topic;
  #copies: Copy[] = [];
  readonly #rest: Iterator<Subscription>;
  /** `CopiedTo`, in two fields: an object for each subscription would be a tenth of the garbage. */
  #storeId: number;
  #copyCount: number;
  /** The subscription whose rules are being judged, how many of them are, and the copies that they have made. */
  #judged: Subscription | undefined;
  #ruleCount = 0;
  readonly #made: Copy[] = [];
  #hasPlain = false;
  #cost = 0;

  constructor(topic: Topic, copiedTo: CopiedTo = { storeId: 0, copyCount: 0 }) {
    this.#topic = topic;
    this.#rest = topic.subscriptions.values();
    this.#storeId = copiedTo.storeId;
    this.#copyCount = copiedTo.copyCount;
    this.hasCopies = copiedTo.storeId > 0;
  }

  get copiedTo(): CopiedTo {
    return { storeId: this.#storeId, copyCount: this.#copyCount };
  }

  /** Goes on until all copies are made, or the cost is `allowance` or a little more. Returns the cost. */
  advance(arrived: MessageView, allowance: number, parts: FanOutParts): number {
    const results = new FilterResults(arrived);
    this.#cost = 0;
    for (;;) {
      const subscription = this.#subscriptionToJudge();
      this.isComplete = subscription === undefined;
      if (subscription === undefined || this.#cost >= allowance) return this.#cost;
      if (this.#judge(subscription, arrived, results, allowance, parts)) this.#take(subscription, allowance);
    }
  }

  /** The copies that were made since the last call, in the order of their subscriptions. */
  takeCopies(): readonly Copy[] {
    const copies = this.#copies;
    this.#copies = [];
    return copies;
  }

  /** The one that was left by the last turn, unless it was deleted since, or the next. */
  #subscriptionToJudge(): Subscription | undefined {
    const left = this.#judged;
    if (left !== undefined && this.#topic.find(left.description.name) === left) return left;
    this.#judged = undefined;
    for (let next = this.#rest.next(); next.done !== true; next = this.#rest.next()) {
      const { value: subscription } = next;
      if (subscription.queue.main.id < this.#storeId) continue;
      this.#judged = subscription;
      this.#ruleCount = 0;
      this.#made.length = 0;
      this.#hasPlain = false;
      return subscription;
    }
    return undefined;
  }

  /**
   * TOP-03: makes one copy for all matching rules without an action, and one for each matching rule with an action. Returns whether
   * all rules are judged: before that, none of the copies is certain (TOP-09).
   */
  #judge(
    subscription: Subscription,
    arrived: MessageView,
    results: FilterResults,
    allowance: number,
    parts: FanOutParts,
  ): boolean {
    const { rules } = subscription; // TOP-08: applies the current rules
    const { effort } = parts.ruleCompiler;
    for (; this.#ruleCount < rules.length; this.#ruleCount++) {
      if (this.#cost >= allowance) return false;
      const rule = rules[this.#ruleCount];
      if (rule === undefined) break;
      const charactersBefore = effort.characters;
      const made = applyRule(rule, arrived, results, parts);
      this.#cost += RULE_COST + (effort.characters - charactersBefore) / CHARACTERS_PER_COST;
      if (made === undefined) continue;
      if (made.isDead === true) {
        this.#made.length = 0;
        const isKept = subscription.description.deadLetteringOnFilterEvaluationExceptions;
        if (isKept) this.#made.push({ subscription, made, rule }); // TOP-09
        this.#ruleCount = rules.length;
        break;
      }
      if (rule.compiled.action === undefined) {
        if (this.#hasPlain) continue;
        this.#hasPlain = true; // TOP-06
      }
      const copy = made === UNCHANGED ? unchangedCopy(subscription, rule) : { subscription, made, rule };
      this.#cost += halfActionCost(copy);
      this.#made.push(copy);
    }
    return true;
  }

  /** Makes the copies certain, in this turn or several. */
  #take(subscription: Subscription, allowance: number): void {
    const { id } = subscription.queue.main;
    if (id !== this.#storeId) this.#copyCount = 0;
    this.#storeId = id;
    for (; this.#copyCount < this.#made.length; this.#copyCount++) {
      if (this.#cost >= allowance) return;
      const copy = this.#made[this.#copyCount];
      if (copy === undefined) break;
      this.#copies.push(copy);
      this.hasCopies = true;
      this.#cost += COPY_COST + halfActionCost(copy);
    }
    this.#storeId = id + 1;
    this.#copyCount = 0;
    this.#judged = undefined;
  }
}

function halfActionCost({ made }: Copy): number {
  if (made.propertyChanges === undefined) return 0;
  return HALF_ACTION_COST + bytesOfChanges(made.propertyChanges) / BYTES_PER_HALF_COST;
}

/** The same object for each message: a large topic would make thousands. */
function unchangedCopy(subscription: Subscription, rule: SubscriptionRule): Copy {
  rule.unchanged ??= { subscription, made: UNCHANGED, rule };
  return rule.unchanged;
}
