// The steps of the chosen message, or of all that are shown, in their order.

import { eventText } from '../../../watch/record-kinds.js';
import { Icon, type IconName } from '../../parts/icon.js';
import { clientName, numberText, shownText, spokenPath, timeText } from '../../state/format.js';
import type { PageEvent } from '../../state/page-event.js';
import { useTailedRows } from './tailed-rows.js';
import type { TimelineMessage, TimelineStep } from './timeline-messages.js';
import { msText, rowName } from './timeline-words.js';

const ROW_PX = 44;

const GLYPHS: Readonly<Record<string, IconName>> = {
  accepted: 'accepted',
  enqueued: 'accepted',
  scheduled: 'scheduled',
  activated: 'active',
  routed: 'rule',
  unmatched: 'rule',
  locked: 'locked',
  renewed: 'locked',
  completed: 'check',
  consumed: 'check',
  abandoned: 'undo',
  released: 'undo',
  'lock-expired': 'warning',
  deferred: 'deferred',
  'dead-lettered': 'dead',
  expired: 'scheduled',
  forwarded: 'forward',
  moved: 'forward',
  resubmitted: 'forward',
  'transfer-waiting': 'forward',
  cancelled: 'close',
  deleted: 'close',
  purged: 'close',
  'session-lost': 'warning',
  refused: 'warning',
};
const BAD: ReadonlySet<string> = new Set([
  ...['unmatched', 'abandoned', 'lock-expired', 'dead-lettered', 'expired', 'session-lost', 'refused'],
]);

type StepsProps = {
  readonly steps: readonly TimelineStep[];
  readonly chosen: TimelineMessage | undefined;
  readonly onFollow: () => void;
  readonly onClose: () => void;
};

export function Steps({ steps, chosen, onFollow, onClose }: StepsProps) {
  const events = chosen?.steps ?? steps.map(({ event }) => event);
  const rows = useTailedRows(events.length, ROW_PX);
  const [first, last] = [events[0], events.at(-1)];
  const lasted =
    first === undefined || last === undefined ? 0 : Date.parse(last.time) - Date.parse(first.time);
  return (
    <section class="panel tlsteps" aria-label="Steps">
      <header>
        <h2 class="el">{chosen === undefined ? 'Steps' : shownText(rowName(chosen), 60)}</h2>
        <span class="sub nw">
          {chosen === undefined ? null : `${numberText(events.length)} in ${msText(lasted)}`}
        </span>
        <span class="push" />
        {chosen === undefined ? null : (
          <>
            <button type="button" class="sm" data-harmless onClick={onFollow}>
              Follow <kbd>f</kbd>
            </button>
            <button
              type="button"
              class="flat sm"
              data-harmless
              aria-label="Show the steps of all"
              onClick={onClose}
            >
              <Icon name="close" />
            </button>
          </>
        )}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus no key scrolls it */}
      <section class="rows" ref={rows.ref} tabIndex={0} aria-label="List of steps">
        <ol
          aria-label="Steps"
          style={{
            paddingTop: `${rows.first * ROW_PX}px`,
            paddingBottom: `${(events.length - rows.end) * ROW_PX}px`,
          }}
        >
          {events.slice(rows.first, rows.end).map((event, index) => (
            <Step
              key={rows.keyOf(rows.first + index)}
              event={event}
              before={events[rows.first + index - 1]}
              isNamed={chosen === undefined}
            />
          ))}
        </ol>
      </section>
    </section>
  );
}

type StepProps = {
  readonly event: PageEvent;
  readonly before: PageEvent | undefined;
  /** Whether it says of which message it is. */
  readonly isNamed: boolean;
};

function Step({ event, before, isNamed }: StepProps) {
  const text = shownText(eventText(event), 300);
  const place = isNamed
    ? `${spokenPath(event.path ?? '')}${event.sequenceNumber === undefined ? '' : ` #${numberText(event.sequenceNumber)}`}`
    : undefined;
  const by = event.client === undefined ? undefined : `by ${clientName(event.client)}`;
  const since =
    before === undefined ? '' : `+${msText(Math.max(0, Date.parse(event.time) - Date.parse(before.time)))}`;
  const about = [place, by].filter((each) => each !== undefined).map((each) => shownText(each, 100));
  return (
    <li class={BAD.has(event.kind) ? 'bad' : undefined}>
      <Icon name={GLYPHS[event.kind] ?? 'info'} />
      <span class="el" title={text}>
        <bdi>{text}</bdi>
      </span>
      <span class="when t3">
        <span class="m">{timeText(event.time)}</span>
        <span class="el" title={about.join(' ')}>
          <bdi>{about.join(' ')}</bdi>
        </span>
        {isNamed ? null : <span class="push nw">{since}</span>}
      </span>
    </li>
  );
}
