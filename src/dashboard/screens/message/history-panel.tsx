// The history of a message, step by step, as far back as the records reach.

import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import { Panel } from '../../parts/panel.js';
import { Scrolled } from '../../parts/scrolled.js';
import { get } from '../../state/api.js';
import { clientName, shownText, timeText } from '../../state/format.js';
import { sayLookError } from '../../state/look-error.js';
import { eventCount, onEvents, openedCount } from '../../state/model.js';
import type { PageEvent } from '../../state/page-event.js';
import { stepOf } from './history-steps.js';

type History = { readonly events: readonly PageEvent[]; readonly isComplete: boolean };

/** The history of the message, read anew when an event names it. */
export function useHistory(path: string, sequenceNumber: number): History | undefined {
  const [history, setHistory] = useState<History>();
  const opened = openedCount.value;
  useEffect(() => {
    let ending = new AbortController();
    const read = () => {
      ending.abort();
      ending = new AbortController();
      get<History>('history', { entity: path, sequenceNumber }, ending.signal).then(setHistory, sayLookError);
    };
    read();
    const stop = onEvents((events) => {
      if (events.some((event) => event.sequenceNumber === sequenceNumber && isOf(event, path))) read();
    });
    return () => {
      ending.abort();
      stop();
    };
  }, [path, sequenceNumber, opened]);
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
      sub={isComplete ? `${stepsText(events.length)}, since it was accepted` : reachText(first)}
      grows
    >
      <Scrolled label="The steps">
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
      </Scrolled>
    </Panel>
  );
}

function stepsText(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`;
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
