// The list "Needs a look": the causes of trouble in the events, grouped, the newest first.

import { nearestWord } from '../../description/suggestion.js';
import { clientName, durationText, numberText, shownText, spokenPath } from './format.js';
import { withReason } from './message-filter.js';
import type { PageEvent } from './page-event.js';
import type { Route } from './route.js';

export type Cause = {
  readonly key: string;
  readonly isBad: boolean;
  readonly title: string;
  /** Why, and by whom. */
  readonly text: string;
  /** Milliseconds since 1970 of the last time. */
  readonly lastTime: number;
  readonly count: number;
  /** Where more is to be seen. */
  readonly to: Route;
};

/** An entity as the causes need it. */
export type Named = { readonly path: string; readonly kind: string; readonly lockDurationMs?: number };

/** Groups that are kept; the oldest go first. */
const MAX_CAUSES = 200;

type Story = Pick<Cause, 'isBad' | 'title' | 'text' | 'to'>;
type Group = { count: number; last: PageEvent };

export class Causes {
  readonly #groups = new Map<string, Group>();

  add(event: PageEvent): void {
    const key = keyOf(event);
    if (key === undefined) return;
    const group = this.#groups.get(key) ?? { count: 0, last: event };
    group.count += 1;
    group.last = event;
    // The newest at the end, so that the oldest can go.
    this.#groups.delete(key);
    this.#groups.set(key, group);
    for (const oldest of this.#groups.keys()) {
      if (this.#groups.size <= MAX_CAUSES) break;
      this.#groups.delete(oldest);
    }
  }

  clear(): void {
    this.#groups.clear();
  }

  /** The causes, the newest first. `entities` are those that there are now. */
  list(entities: readonly Named[]): readonly Cause[] {
    const causes = [...this.#groups].map(([key, { count, last }]): Cause => {
      const story = tell(last, count, entities);
      return { key, count, lastTime: Date.parse(last.time), ...story };
    });
    return causes.reverse();
  }
}

/** Events of one cause have one key; undefined for an event that is no trouble. */
function keyOf({
  kind,
  path = '',
  reason,
  text,
  condition,
  cause,
  operation,
  effect,
}: PageEvent): string | undefined {
  switch (kind) {
    case 'dead-lettered':
      return `dead ${path} ${reason ?? ''}`;
    case 'lock-expired':
    case 'session-lost':
    case 'unmatched':
      return `${kind} ${path}`;
    case 'link-refused':
      return `link ${path} ${condition ?? ''}`;
    case 'token-refused':
      return `token ${path} ${reason ?? ''}`;
    case 'client-refused':
      return `client ${text ?? ''}`;
    case 'refused':
      return LOOKS.has(reason ?? '') ? undefined : `refused ${path} ${reason ?? ''}`;
    case 'link-detached':
      return condition === undefined ? undefined : `detached ${path} ${condition}`;
    case 'transaction-rolled-back':
      return cause === undefined ? undefined : `transaction ${cause}`;
    case 'fault-fired':
      return `fault ${path} ${operation ?? ''} ${effect ?? ''}`;
    default:
      return undefined;
  }
}

/** Refusals that another event tells of, or that are no trouble: a look at what is not there. */
const LOOKS: ReadonlySet<string> = new Set(['entity-not-found', 'message-lock-lost', 'session-lock-lost']);

function tell(last: PageEvent, count: number, entities: readonly Named[]): Story {
  const { path = '' } = last;
  const entity = entityOf(path, entities);
  const many = count > 1;
  const by = last.client === undefined ? undefined : clientName(last.client);
  const where = shownText(spokenPath(path.replace(/\/\$(DeadLetterQueue|Transfer)$/i, '')));
  const number = `#${numberText(last.sequenceNumber ?? 0)}`;
  const isTransfer = /\/\$Transfer$/i.test(path);
  const at = (tab: 'dead' | 'transfer-dead' | 'settings', filter = ''): Route => ({
    screen: 'entity',
    path: storeOf(path),
    tab,
    filter,
  });
  switch (last.kind) {
    case 'dead-lettered':
      return {
        isBad: true,
        title: `${numberText(count)}${isTransfer ? (many ? ' transfers' : ' transfer') : ''} dead-lettered in ${where}`,
        text: deadText(last, by),
        to: at(isTransfer ? 'transfer-dead' : 'dead', withReason('', last.reason)),
      };
    case 'lock-expired':
      return {
        isBad: false,
        title: many ? `${numberText(count)} locks lost in ${where}` : `Lock of ${where} ${number} lost`,
        text: lockText(last, by, entity),
        to: messageOf(last),
      };
    case 'session-lost': {
      const title = `Session '${shownText(last.sessionId ?? '', 40)}' of ${where} lost`;
      return { isBad: false, title, text: lockText(last, by, entity), to: { screen: 'sessions' } };
    }
    case 'unmatched':
      return {
        isBad: false,
        title: `${numberText(count)} to ${where} matched no rule`,
        text: `No subscription took ${many ? 'them; the last was ' : ''}${number}. The rules tester says why.`,
        to: { screen: 'rules', topic: path },
      };
    default:
      return tellRefusal(last, count, entities, { by, where, to: at('settings') });
  }
}

function tellRefusal(
  last: PageEvent,
  count: number,
  entities: readonly Named[],
  { by = 'a client', where, to }: { by: string | undefined; where: string; to: Route },
): Story {
  const times = count > 1 ? `, ${numberText(count)} times` : '';
  const text = sentenceOf(last.text ?? last.cause ?? '');
  const isMissing = last.condition === 'amqp:not-found' || last.reason === 'entity-not-found';
  if (isMissing) return tellMissing(last.path ?? '', { by, where, times }, entities);
  switch (last.kind) {
    case 'link-refused':
      return {
        isBad: true,
        title: `${capitalized(last.role ?? 'link')} of '${where}' refused${times}`,
        text,
        to,
      };
    case 'link-detached':
      return {
        isBad: false,
        title: `Link of ${where} detached${times}`,
        text,
        to: { screen: 'connections' },
      };
    case 'token-refused':
      return {
        isBad: true,
        title: `Token for '${where}' refused${times}`,
        text: `${by}: ${text}`,
        to: { screen: 'connections' },
      };
    case 'client-refused':
      return { isBad: true, title: `A client was refused${times}`, text, to: { screen: 'connect' } };
    case 'fault-fired':
      return {
        isBad: false,
        title: `Fault on ${last.operation ?? ''}${where === '' ? '' : ` of ${where}`}${times}`,
        text: `${last.effect ?? ''}, as asked for.`,
        to: { screen: 'clock' },
      };
    case 'transaction-rolled-back':
      return { isBad: false, title: `Transaction rolled back${times}`, text, to: { screen: 'connections' } };
    default:
      return {
        isBad: true,
        title: `${capitalized((last.command ?? 'request').replaceAll('-', ' '))} refused${where === '' ? '' : ` in ${where}`}${times}`,
        text,
        to,
      };
  }
}

function tellMissing(
  path: string,
  { by, where, times }: { readonly by: string; readonly where: string; readonly times: string },
  entities: readonly Named[],
): Story {
  const near = nearestWord(
    storeOf(path),
    entities.map((entity) => entity.path),
  );
  const hint =
    near === undefined ? 'There is no entity of that name.' : `Did you mean '${spokenPath(near)}'?`;
  const to: Route =
    near === undefined ? { screen: 'overview' } : { screen: 'entity', path: near, tab: 'active', filter: '' };
  return { isBad: true, title: `'${where}' not found`, text: `Asked for by ${by}${times}. ${hint}`, to };
}

function deadText(
  { reason, description, sequenceNumber = 0, outcome }: PageEvent,
  by: string | undefined,
): string {
  const why = reason === undefined ? 'Without a reason' : shownText(reason, 80);
  const said = description === undefined || description === reason ? '' : ` ${sentenceOf(description)}`;
  const who = by === undefined ? '' : outcome === undefined ? `, last held by ${by}` : `, by ${by}`;
  return `${why}.${said} Last: #${numberText(sequenceNumber)}${who}.`;
}

function lockText(
  { heldMs, deliveryCount, maxDeliveryCount, client }: PageEvent,
  by: string | undefined,
  entity: Named | undefined,
) {
  const lock = entity?.lockDurationMs;
  const limit = lock === undefined ? '' : ` than ${durationText(lock)}`;
  const held = heldMs === undefined ? '' : ` It was held ${durationText(heldMs)}.`;
  const count =
    deliveryCount === undefined ? '' : ` Delivery ${deliveryCount} of ${maxDeliveryCount ?? '∞'}.`;
  if (client?.connectionId === 0)
    return `It was ended by hand (${client.product ?? 'a program'}).${held}${count}`;
  if (by === undefined) return `Its receiver had gone without settling it.${held}${count}`;
  return `${by} was connected: its handler took longer${limit}, or did not settle.${held}${count}`;
}

function messageOf({ path = '', sequenceNumber = 0 }: PageEvent): Route {
  return {
    screen: 'message',
    path: storeOf(path),
    tab: /\$DeadLetterQueue$/i.test(path) ? 'dead' : 'active',
    sequenceNumber,
  };
}

function storeOf(path: string): string {
  return path.replace(/\/\$(Transfer\/\$?)?DeadLetterQueue$|\/\$Transfer$/i, '');
}

function entityOf(path: string, entities: readonly Named[]): Named | undefined {
  const wanted = storeOf(path).toLowerCase();
  return entities.find((entity) => entity.path.toLowerCase() === wanted);
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The first sentence of an error, without the ids for support. */
function sentenceOf(text: string): string {
  const sentence = shownText(text.replace(/(TrackingId:|Reference:).*$/s, '').trimEnd(), 240);
  return /[.!?…]$/.test(sentence) || sentence === '' ? sentence : `${sentence}.`;
}
