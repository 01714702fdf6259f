// Adds hints to an error of the client for messages: where the address comes from, what to try, and which entity was probably meant.

import { bareHost, portOf, type Service } from '../../client/service.js';
import { isLoopback } from '../../config/connection-string.js';
import { isOfKind, JitneyError } from '../../jitney-error.js';
import { originText } from '../control/connection-choice.js';
import type { ControlClient } from '../control/control-client.js';
import { ownerOf } from '../control/full-path.js';
import { portOption } from '../control/target-options.js';
import { oneLine } from '../output/one-line.js';
import { type Jitney, openControl } from './named-entity.js';

type Rule = { readonly name: string; readonly filter: { readonly text: string } };

const SUBSCRIPTION = /\/subscriptions\/[^/]+$/i;
const EVERYTHING = '1=1';
const MOST_RULES = 3;

type Surroundings = {
  readonly service: Service;
  /** The flag or variable that gives the address; undefined if none does. */
  readonly from: string | undefined;
};

/** The error of a connection that could not be opened. */
export function connectFailure(error: unknown, { service, from }: Surroundings): unknown {
  if (!isOfKind(error, 'not-reachable')) return error;
  const help = isLoopback(bareHost(service))
    ? [`Start it:  jitney start${portOption(portOf(service))}   or one on another port:  --port <n>`]
    : service.transport === 'amqp'
      ? ['Behind a firewall:  --transport websocket']
      : [];
  const advice = error.problems.length > 0 ? error.problems : help;
  return new JitneyError(error.kind, error.message, {
    problems: [originText(from), ...advice],
    cause: error,
  });
}

/** The error of a request. For an entity that a Jitney does not have, it names the entity that was probably meant. */
export async function requestFailure(
  error: unknown,
  { entity, isSend }: { readonly entity: string; readonly isSend: boolean },
  jitney: Jitney,
): Promise<unknown> {
  if (!isOfKind(error, 'no-entity')) return error;
  const client = await openControl(jitney);
  const hint = await (isSend ? subscriptionHint : topicHint)(entity, client);
  if (hint !== undefined) return new JitneyError(error.kind, hint, { cause: error });
  return new JitneyError(error.kind, error.message, {
    problems: await client.similarTo(entity, { isSend }),
    cause: error,
  });
}

/** For a send to `events/audit`, if that is the short path of a subscription. */
async function subscriptionHint(entity: string, client: ControlClient): Promise<string | undefined> {
  const path = await client.fullPath(entity);
  if (path === entity) return undefined;
  const topic = ownerOf(path).replace(SUBSCRIPTION, '');
  return `'${entity}' is a subscription, which takes no messages from senders: send to its topic '${topic}'`;
}

/** Explains why an entity of a Jitney may have no messages: it is a topic, or a subscription with rules that do not match everything. */
export async function emptyHint(entity: string, jitney: Jitney): Promise<string | undefined> {
  const client = await openControl(jitney);
  return (await topicHint(entity, client)) ?? rulesHint(entity, client);
}

async function rulesHint(entity: string, client: ControlClient): Promise<string | undefined> {
  if (!SUBSCRIPTION.test(entity)) return undefined;
  const call = { name: 'rules', query: { entity } };
  const answer = await client.call<{ readonly rules: readonly Rule[] }>(call).catch(() => undefined);
  if (answer === undefined || answer.rules.some(({ filter }) => filter.text === EVERYTHING)) return undefined;
  const more = answer.rules.length - MOST_RULES;
  const rules = answer.rules.slice(0, MOST_RULES).map(({ name, filter }) => `'${name}' (${filter.text})`);
  if (more > 0) rules.push(`${more} more`);
  if (rules.length === 0) return 'It has no rule, so it takes no message';
  return oneLine(`It takes only messages that one of its rules matches: ${rules.join(', ')}`);
}

async function topicHint(entity: string, client: ControlClient): Promise<string | undefined> {
  const topic = ownerOf(entity);
  const subscriptions = await client.subscriptionsOf(topic);
  if (subscriptions === undefined) return undefined;
  const [first] = subscriptions;
  if (first === undefined) return `'${topic}' is a topic without subscriptions, so it keeps no messages`;
  return `'${topic}' is a topic: its messages are in its subscriptions, such as '${first}'`;
}
