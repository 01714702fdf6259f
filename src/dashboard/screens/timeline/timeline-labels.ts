// Words that belong to the shapes of the timeline: the names of lanes, the text of a box, the tip of a token, and where it leads.

import {
  dateTimeText,
  durationText,
  numberText,
  shownText,
  spokenPath,
  timeText,
} from '../../state/format.js';
import type { Route } from '../../state/route.js';
import type { LaneRow } from './timeline-lanes.js';
import { type Hold, type Mark, openHold, type Stay } from './timeline-message.js';
import type { Bucket } from './timeline-steps.js';
import { deliveryText, peerName, placeName, wordsOf } from './timeline-words.js';

const DEAD = /\/\$DeadLetterQueue$/i;
const TRANSFER_DEAD = /\/\$Transfer\/\$?DeadLetterQueue$/i;
/** The width of a character at 11 pixels, at most. */
const CHARACTER_PX = 6.6;
const MOST_STEPS = 5;

/** Lines of a tip, the first of which is its title. */
export type Tip = readonly string[];

export function laneName({ kind, path, name, connectionId, isNumbered }: LaneRow): string {
  if (kind === 'entity') return placeName(path).replace(/ \((.*)dead-letter\)$/, ' · $1dead');
  return isNumbered && connectionId !== undefined ? `${name} · ${connectionId}` : name;
}

/** The place of a message in the page. */
export function placeOf({ path, sequenceNumber }: Stay): Route {
  const tab = TRANSFER_DEAD.test(path) ? 'transfer-dead' : DEAD.test(path) ? 'dead' : 'active';
  const owner = path.replace(TRANSFER_DEAD, '').replace(DEAD, '');
  return { screen: 'message', path: owner, tab, sequenceNumber };
}

/** The filter that follows a message with those that belong to it. */
export function filterFor({ correlationId, messageId, path, sequenceNumber }: Stay): string {
  if (correlationId !== undefined) return `correlation:${correlationId}`;
  return messageId === undefined ? `${path}#${sequenceNumber}` : `message:${messageId}`;
}

/** As much of a delivery as the box has room for. */
export function boxText({ sequenceNumber }: Stay, { delivery }: Hold, letter: string, width: number): string {
  const number = `#${numberText(sequenceNumber)}`;
  const texts = [
    `${letter} ${number}${delivery > 1 ? ` · ${deliveryText(delivery)}` : ''}`,
    `${letter} ${number}`,
    letter,
  ];
  return texts.map((text) => text.trim()).find((text) => text.length * CHARACTER_PX + 12 <= width) ?? '';
}

/** The message in a few words, for a link to it. */
export function shortTip({ sequenceNumber, path, messageId = '' }: Stay): string {
  return `#${sequenceNumber} in ${placeName(path)} ${shownText(messageId, 60)}`;
}

/** Says which message it is, what has happened to it, when, and by whom. */
export function tipOf(stay: Stay): Tip {
  const { sequenceNumber, path, messageId, correlationId, sessionId } = stay;
  const ids = [
    messageId === undefined ? undefined : `message ${shownText(messageId, 60)}`,
    correlationId === undefined ? undefined : `correlation ${shownText(correlationId, 60)}`,
    sessionId === undefined ? undefined : `session ${shownText(sessionId, 60)}`,
  ].filter((each) => each !== undefined);
  const marks = [stay.arrival, ...stay.holds.flatMap(({ start, end }) => [start, end]), stay.end];
  const steps = [...new Set(marks.filter((mark) => mark !== undefined))];
  const shown = steps.slice(-MOST_STEPS).map(stepText);
  const state = openHold(stay) !== undefined ? 'held now' : stay.end === undefined ? 'waits now' : undefined;
  return [
    `#${numberText(sequenceNumber)} in ${spokenPath(path)}${state === undefined ? '' : `, ${state}`}`,
    ...ids,
    ...(steps.length > shown.length ? [`${steps.length - shown.length} earlier steps`] : []),
    ...shown,
  ];
}

function stepText(mark: Mark): string {
  const { event, at } = mark;
  const { verb, after } = wordsOf(event);
  const by = event.client === undefined ? '' : ` by ${peerName(event.client)}`;
  const held = event.heldMs === undefined ? '' : ` after ${durationText(event.heldMs)}`;
  const why = event.kind === 'dead-lettered' && after !== '' ? `, ${shownText(after, 80)}` : '';
  return `${timeText(at)} ${verb}${by}${held}${why}`;
}

export function countTip(
  row: LaneRow,
  { at, in: incoming, held, done, bad }: Bucket,
  stretchMs: number,
): Tip {
  const counts = [
    [incoming, row.kind === 'client' ? 'sent' : 'came in'],
    [held, 'deliveries'],
    [done, row.kind === 'consumer' ? 'settled' : 'left'],
    [bad, row.kind === 'consumer' ? 'abandoned, or its lock ended' : 'dead-lettered or expired'],
  ] as const;
  return [
    `${laneName(row)}, ${timeText(at)} for ${durationText(stretchMs)}`,
    ...counts.filter(([count]) => count > 0).map(([count, text]) => `${numberText(count)} ${text}`),
  ];
}

/** Says from when on the record reaches. */
export function reachText(at: number): string {
  return dateTimeText(at);
}
