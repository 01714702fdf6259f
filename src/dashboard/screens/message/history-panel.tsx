// The history of a message, step by step. Facts that are stored with the message fill in where it begins too late.

import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { eventText } from '../../../watch/record-kinds.js';
import { Icon, type IconName } from '../../parts/icon.js';
import { Given, Panel } from '../../parts/panel.js';
import { clientName, dateTimeText, plural, timeText } from '../../state/format.js';
import type { PageEvent } from '../../state/page-event.js';

export type History = {
  readonly events: readonly PageEvent[];
  readonly isComplete: boolean;
  /** From when it reaches, if it is not complete. */
  readonly since?: string;
  /** Deliveries between the first and the last ones. */
  readonly omittedDeliveries?: number;
};

const ICONS: Readonly<Record<string, IconName>> = {
  scheduled: 'scheduled',
  activated: 'active',
  routed: 'rule',
  unmatched: 'rule',
  forwarded: 'forward',
  moved: 'forward',
  resubmitted: 'forward',
  locked: 'locked',
  renewed: 'locked',
  consumed: 'check',
  completed: 'check',
  abandoned: 'undo',
  released: 'undo',
  'lock-expired': 'warning',
  deferred: 'deferred',
  'dead-lettered': 'dead',
  expired: 'scheduled',
};
const BAD: ReadonlySet<string> = new Set([
  ...['unmatched', 'abandoned', 'lock-expired', 'dead-lettered', 'expired'],
]);
/** With more, the end of a history is out of view: what made the message a dead letter stands above them. */
const FEW_STEPS = 8;
/** The first deliveries that a history keeps. */
const FIRST_DELIVERIES = 10;

type HistoryProps = {
  readonly history: History | undefined;
  /** Undefined for one that is gone. */
  readonly message: RawMessageAnswer | undefined;
};

export function HistoryPanel({ history, message }: HistoryProps) {
  if (history === undefined) return <Panel title="History">{null}</Panel>;
  const { isComplete, since } = history;
  const steps = stepsOf(history, message);
  const first = steps[0]?.time;
  const death = steps.length > FEW_STEPS ? deathOf(steps) : undefined;
  const reach =
    since === undefined ? 'from what is stored with the message' : `reaches back to ${dateTimeText(since)}`;
  return (
    <Panel title="History" sub={isComplete ? plural(steps.length, 'step') : reach}>
      {steps.length === 0 ? (
        <p class="pad t2">Nothing is kept about it.</p>
      ) : (
        <>
          {death === undefined ? null : (
            <p class="pad death">
              <Icon name="dead" /> <Given text={death.text} most={200} />
              {death.time === undefined ? '' : `, at ${dateTimeText(death.time)}`}
            </p>
          )}
          <ol class="hist">
            {steps.map((step, index) => (
              <Line key={step.key} step={step} since={first} isNow={index === steps.length - 1} />
            ))}
          </ol>
        </>
      )}
    </Panel>
  );
}

export type HistoryStep = {
  readonly key: string;
  readonly kind: string;
  readonly time: string | undefined;
  readonly text: string;
  readonly client?: PageEvent['client'];
};

/** The events as steps, with what the message itself says of its beginning and its end. */
export function stepsOf(history: History, message: RawMessageAnswer | undefined): readonly HistoryStep[] {
  const { events, isComplete, omittedDeliveries = 0 } = history;
  const steps: HistoryStep[] = [];
  const isDead = events.some(({ kind }) => kind === 'dead-lettered');
  if (!isComplete && message !== undefined) {
    steps.push({ key: 'stored', kind: 'accepted', time: message.enqueuedTime, text: 'Enqueued' });
  }
  let deliveries = 0;
  for (const event of events) {
    const { id, kind, time, text = eventText(event), client } = event;
    if (kind === 'locked') deliveries += 1;
    if (kind === 'locked' && deliveries === FIRST_DELIVERIES + 1 && omittedDeliveries > 0) {
      const omitted = `${plural(omittedDeliveries, 'delivery', 'deliveries')} between are not kept`;
      steps.push({ key: 'omitted', kind: 'omitted', time: undefined, text: omitted });
    }
    steps.push({ key: String(id), kind, time, text, client });
  }
  if (!isComplete && !isDead && message?.deadLetteredTime !== undefined) {
    const by = message.lastHolder === undefined ? '' : ` by ${message.lastHolder}`;
    const { deadLetterReason: reason } = message;
    const why = reason === undefined ? '' : `: ${reason}`;
    steps.push({
      ...{ key: 'dead', kind: 'dead-lettered', time: message.deadLetteredTime },
      text: `Dead-lettered${by}${why}`,
    });
  }
  return steps;
}

/** The step that made it the dead letter that it is; undefined for one that has begun a new life since. */
export function deathOf(steps: readonly HistoryStep[]): HistoryStep | undefined {
  const at = steps.findLastIndex(({ kind }) => kind === 'dead-lettered');
  const isOver = steps.slice(at + 1).some(({ kind }) => kind === 'resubmitted' || kind === 'moved');
  return at < 0 || isOver ? undefined : steps[at];
}

type LineProps = { readonly step: HistoryStep; readonly since: string | undefined; readonly isNow: boolean };

function Line({ step: { kind, time, text, client }, since, isNow }: LineProps) {
  const afterMs = since === undefined || time === undefined ? 0 : Date.parse(time) - Date.parse(since);
  return (
    <li class={isNow ? 'now' : BAD.has(kind) ? 'bad' : ''}>
      <Icon name={kind === 'omitted' ? 'more' : (ICONS[kind] ?? 'accepted')} />
      <span>
        <Given text={text} most={600} />
        {client === undefined ? null : (
          <span class="t3">
            {' '}
            by <Given text={clientName(client)} most={60} />
          </span>
        )}
      </span>
      {time === undefined ? null : (
        <span class="when" title={dateTimeText(time)}>
          {afterMs === 0 ? timeText(time) : afterText(afterMs)}
        </span>
      )}
    </li>
  );
}

/** `+2 ms`, `+1.250 s`, `+2.5 h` */
function afterText(ms: number): string {
  if (ms < 1000) return `+${ms} ms`;
  return ms < 3_600_000 ? `+${(ms / 1000).toFixed(3)} s` : `+${(ms / 3_600_000).toFixed(1)} h`;
}
