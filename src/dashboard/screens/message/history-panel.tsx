// What has happened to a message, step by step, as far back as the records reach.

import { useEffect, useState } from 'preact/hooks';
import { Icon, type IconName } from '../../parts/icon.js';
import { Panel } from '../../parts/panel.js';
import { get } from '../../state/api.js';
import { clientName, durationText, numberText, shownText, spokenPath, timeText } from '../../state/format.js';
import { eventCount, onEvents } from '../../state/model.js';
import type { PageEvent } from '../../state/page-event.js';
import { attempt } from '../../state/said.js';

type History = { readonly events: readonly PageEvent[]; readonly isComplete: boolean };
type Step = {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  readonly isBad?: boolean;
};

/** The history of the message, read anew when an event names it. */
export function useHistory(path: string, sequenceNumber: number): History | undefined {
  const [history, setHistory] = useState<History>();
  useEffect(() => {
    const read = () =>
      attempt(async () => setHistory(await get<History>('history', { entity: path, sequenceNumber })));
    read();
    return onEvents((events) => {
      if (events.some((event) => event.sequenceNumber === sequenceNumber && isOf(event, path))) read();
    });
  }, [path, sequenceNumber]);
  return history;
}

function isOf({ path = '' }: PageEvent, wanted: string): boolean {
  return path.toLowerCase().startsWith(wanted.replace(/\/\$DeadLetterQueue$/i, '').toLowerCase());
}

export function HistoryPanel({ history }: { readonly history: History | undefined }) {
  if (history === undefined) return <Panel title="History">{null}</Panel>;
  const { events, isComplete } = history;
  const [first] = events;
  return (
    <Panel
      title="History"
      sub={isComplete ? `${events.length} steps, since it was accepted` : reachText(first)}
      grows
    >
      <div class="rows">
        {events.length === 0 ? (
          <p class="pad t2">
            The last 10,000 events do not reach back to this message
            {eventCount.value === 0 ? ': nothing was recorded yet' : ''}.
          </p>
        ) : (
          <ol class="hist">
            {events.map((event, index) => (
              <Line key={event.id} event={event} since={first} isNow={index === events.length - 1} />
            ))}
          </ol>
        )}
      </div>
    </Panel>
  );
}

function reachText(first: PageEvent | undefined): string {
  return first === undefined ? '' : `the record reaches back to ${timeText(first.time, { withMs: false })}`;
}

type LineProps = {
  readonly event: PageEvent;
  readonly since: PageEvent | undefined;
  readonly isNow: boolean;
};

function Line({ event, since, isNow }: LineProps) {
  const { icon, title, text, isBad = false } = stepOf(event);
  const afterMs = since === undefined ? 0 : Date.parse(event.time) - Date.parse(since.time);
  return (
    <li class={isNow ? 'now' : isBad ? 'bad' : ''}>
      <Icon name={icon} />
      <span>
        <b>{title}</b>
        {event.client === undefined ? '' : ` by ${clientName(event.client)}`}
      </span>
      <span class="when">{since === event ? timeText(event.time) : `+${(afterMs / 1000).toFixed(3)} s`}</span>
      <p>
        <bdi>{shownText(text, 300)}</bdi>
      </p>
    </li>
  );
}

/** A step in words. Every kind of event that names a message has one; others show their name. */
function stepOf(event: PageEvent): Step {
  const { kind, path = '', sequenceNumber = 0, heldMs = 0, deliveryCount = 0, maxDeliveryCount } = event;
  const number = `#${numberText(sequenceNumber)}`;
  const where = spokenPath(path);
  const held = `after ${durationText(heldMs)}`;
  const count = maxDeliveryCount === undefined ? '' : `, delivery ${deliveryCount} of ${maxDeliveryCount}`;
  switch (kind) {
    case 'accepted':
    case 'enqueued':
      return {
        icon: 'accepted',
        title: kind === 'accepted' ? 'Accepted' : 'Enqueued',
        text: `in ${where} as ${number}, ${numberText(event.sizeBytes ?? 0)} bytes`,
      };
    case 'scheduled':
      return {
        icon: 'scheduled',
        title: 'Scheduled',
        text: `for ${timeText(event.enqueueAt ?? 0)} as ${number}`,
      };
    case 'activated':
      return { icon: 'active', title: 'Activated', text: `as ${number}` };
    case 'routed':
      return {
        icon: 'rule',
        title: 'Routed',
        text: `to ${where} by rule '${event.rule ?? ''}' as ${number}`,
      };
    case 'unmatched':
      return { icon: 'rule', title: 'Matched no rule', text: 'no subscription took it', isBad: true };
    case 'forwarded':
      return { icon: 'forward', title: 'Forwarded', text: `to ${spokenPath(event.destination ?? '')}` };
    case 'moved':
    case 'resubmitted':
      return {
        icon: 'forward',
        title: kind === 'moved' ? 'Moved' : 'Resubmitted',
        text: `to ${spokenPath(event.destination ?? '')} as #${event.newNumber ?? ''}`,
      };
    case 'locked':
      return {
        icon: 'locked',
        title: 'Locked',
        text: `delivery ${deliveryCount + 1}, lock ${event.lockToken ?? ''}…`,
      };
    case 'consumed':
      return { icon: 'check', title: 'Received and deleted', text: '' };
    case 'renewed':
      return { icon: 'locked', title: 'Lock renewed', text: `until ${timeText(event.lockedUntil ?? 0)}` };
    case 'completed':
      return { icon: 'check', title: 'Completed', text: held };
    case 'abandoned':
      return { icon: 'undo', title: 'Abandoned', text: `${held}${count}`, isBad: true };
    case 'lock-expired':
      return { icon: 'warning', title: 'Lock expired', text: `${held}${count}`, isBad: true };
    case 'released':
      return { icon: 'undo', title: 'Released', text: held };
    case 'deferred':
      return { icon: 'deferred', title: 'Deferred', text: held };
    case 'dead-lettered':
      return {
        icon: 'dead',
        title: 'Dead-lettered',
        text: `${event.reason ?? 'without a reason'}${event.description === undefined ? '' : `: ${event.description}`}`,
        isBad: true,
      };
    case 'expired':
      return { icon: 'scheduled', title: 'Expired', text: 'its time to live is over', isBad: true };
    default:
      return { icon: 'info', title: kind.replaceAll('-', ' '), text: '' };
  }
}
