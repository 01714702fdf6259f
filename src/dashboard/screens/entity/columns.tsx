// The columns of the list, tab by tab.

import type { ComponentChildren } from 'preact';
import { Given } from '../../parts/panel.js';
import { dateTimeText, durationText, numberText, spokenPath, timeText } from '../../state/format.js';
import type { Row } from './message-row.js';
import { isDeadTab, type MessageTab } from './tabs.js';

/** Facts of the list beside its rows. */
export type Known = {
  readonly maxDeliveryCount: number | undefined;
  readonly requiresSession: boolean;
  /** By the machine of this page, in milliseconds. */
  readonly now: number;
  /** The receiver of a link. */
  readonly holderOf: (row: Row) => string | undefined;
  /** When a message became a dead letter, if the events that are kept say so. */
  readonly deadSince: (row: Row) => string | undefined;
};

export type Column = {
  readonly name: string;
  readonly title?: string;
  /** Pixels; undefined for the column that takes what is left. */
  readonly width: number | undefined;
  readonly isRight?: boolean;
  readonly style?: string;
  readonly cell: (row: Row, known: Known) => ComponentChildren;
};

/** A lock with less left stands out. */
const LOW_MS = 5000;
const NONE = <span class="t3">–</span>;

const SUBJECT: Column = { name: 'Subject', width: 120, cell: ({ subject }) => given(subject) };
const BODY: Column = {
  name: 'Body',
  width: undefined,
  style: 'm t3',
  cell: ({ body }) => <Given text={body} most={200} />,
};
const SESSION: Column = { name: 'Session', width: 96, style: 'm', cell: ({ sessionId }) => given(sessionId) };
const BYTES: Column = {
  name: 'Bytes',
  width: 72,
  isRight: true,
  style: 't2',
  cell: ({ sizeBytes }) => numberText(sizeBytes),
};
const ENQUEUED: Column = {
  name: 'Enqueued',
  width: 136,
  isRight: true,
  style: 'm t2',
  cell: ({ enqueuedTime }) => dateTimeText(enqueuedTime),
};
const DELIVERIES: Column = {
  name: 'Deliveries',
  width: 80,
  isRight: true,
  cell: ({ deliveryCount }, { maxDeliveryCount }) =>
    maxDeliveryCount === undefined ? numberText(deliveryCount) : `${deliveryCount} of ${maxDeliveryCount}`,
};
const REASON: Column = { name: 'Reason', width: 208, cell: ({ reason }) => given(reason) };
const DEAD_SINCE: Column = {
  name: 'Dead since',
  title: 'From the events that are kept: the last 10,000',
  width: 104,
  isRight: true,
  style: 'm t2',
  cell: (row, { deadSince }) => {
    const since = deadSince(row);
    return since === undefined ? NONE : timeText(since, { withMs: false });
  },
};

const OF_TABS: Readonly<Record<MessageTab, readonly Column[]>> = {
  active: [DELIVERIES, ENQUEUED, BYTES],
  locked: [
    { name: 'Holder', width: 136, cell: (row, { holderOf }) => given(holderOf(row)) },
    { name: 'Time left', width: 88, isRight: true, cell: ({ lock }, known) => timeLeft(lock, known) },
    {
      name: 'Delivery',
      width: 80,
      isRight: true,
      cell: ({ deliveryCount }, { maxDeliveryCount }) =>
        `${deliveryCount + 1}${maxDeliveryCount === undefined ? '' : ` of ${maxDeliveryCount}`}`,
    },
    BYTES,
  ],
  scheduled: [
    {
      name: 'For',
      width: 136,
      isRight: true,
      style: 'm',
      cell: ({ scheduledTime }) => (scheduledTime === undefined ? NONE : dateTimeText(scheduledTime)),
    },
    { name: 'In', width: 104, isRight: true, style: 't2', cell: scheduledIn },
    BYTES,
  ],
  deferred: [DELIVERIES, ENQUEUED, BYTES],
  dead: [
    REASON,
    DELIVERIES,
    { name: 'Last holder', width: 120, cell: ({ lastHolder }) => given(lastHolder) },
    DEAD_SINCE,
    BYTES,
  ],
  'transfer-dead': [
    REASON,
    {
      name: 'Was for',
      width: 136,
      cell: ({ destination }) => given(destination === undefined ? undefined : spokenPath(destination)),
    },
    DEAD_SINCE,
    BYTES,
  ],
};

/** All columns behind the number and the id. */
export function columnsOf(tab: MessageTab, requiresSession: boolean): readonly Column[] {
  const session = requiresSession && !isDeadTab(tab) ? [SESSION] : [];
  return [SUBJECT, BODY, ...session, ...OF_TABS[tab]];
}

function given(text: string | undefined): ComponentChildren {
  return text === undefined || text === '' ? NONE : <Given text={text} most={200} />;
}

function timeLeft(lock: Row['lock'], { now }: Known): ComponentChildren {
  if (lock === undefined) return NONE;
  if (lock.until === undefined) return <span class="t2">no end</span>;
  const leftMs = lock.until - now;
  if (leftMs <= 0) return <span class="amb">over</span>;
  return <span class={leftMs < LOW_MS ? 'amb b' : ''}>{durationText(leftMs)}</span>;
}

function scheduledIn({ scheduledTime }: Row, { now }: Known): ComponentChildren {
  if (scheduledTime === undefined) return NONE;
  return durationText(Date.parse(scheduledTime) - now);
}
