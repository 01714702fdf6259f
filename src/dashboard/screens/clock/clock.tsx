// The broker's clock, and faults on demand.

import { useState } from 'preact/hooks';
import type { AdvancedAnswer, ClockAnswer } from '../../../http/control/control-schemas.js';
import { Icon } from '../../parts/icon.js';
import { Choice, Panel } from '../../parts/panel.js';
import { post } from '../../state/api.js';
import { readDuration } from '../../state/duration.js';
import { dateTimeText, durationText, numberText, spokenPath, timeText } from '../../state/format.js';
import { useKeys } from '../../state/keys.js';
import { errorText } from '../../state/notices.js';
import type { PageEvent } from '../../state/page-event.js';
import { useStore } from '../../state/use-store.js';
import { FaultsPanel } from './faults.js';

const STEPS: readonly (readonly [by: string, text: string])[] = [
  ['PT30S', '+30 s'],
  ['PT5M', '+5 min'],
  ['PT1H', '+1 h'],
  ['P1D', '+1 d'],
];
const MODES = [
  ['real', 'Real time'],
  ['frozen', 'Frozen'],
  ['offset', 'Running'],
  ['scaled', '60 ×'],
] as const;
const FAST = 60;
/** The things that fell due which are listed. */
const MOST_FIRED = 40;

export function ClockScreen() {
  const store = useStore();
  const { clock, isReadOnly, notices } = store;
  const [advanced, setAdvanced] = useState<AdvancedAnswer>();
  const { value } = clock;
  const move = async (name: string, body: object) => {
    const answer = await post<AdvancedAnswer>(`clock:${name}`, {}, body);
    clock.value = answer.clock;
    setAdvanced(answer);
    await store.refreshEntities();
  };
  useKeys(isReadOnly.value ? {} : { n: () => void notices.attempt(() => move('next', {})) });
  if (value === undefined) return <section aria-label="Clock and faults" />;
  return (
    <section aria-label="Clock and faults">
      <div class="head">
        <h1>Clock & faults</h1>
        <span class="facts">
          Locks, schedules, times to live, duplicate windows and idle entities follow this clock.
        </span>
      </div>
      <Panel title="Clock" sub={value.mode === 'real' ? "the machine's time" : 'not the time of the machine'}>
        <div class="clock">
          <Face clock={value} />
          {isReadOnly.value ? null : <Controls clock={value} move={move} />}
        </div>
      </Panel>
      {advanced === undefined ? null : <Fired advanced={advanced} />}
      <FaultsPanel />
    </section>
  );
}

function Face({ clock: { mode, rate, offsetMs, time, realTime, nextDue } }: { readonly clock: ClockAnswer }) {
  const { now } = useStore();
  // The answer is of the moment at which it was read; the page lets it run on.
  const passedMs = Math.max(0, now.value - Date.parse(realTime)) * rate;
  const shown = Date.parse(time) + passedMs;
  const dueMs = nextDue === undefined ? undefined : Date.parse(nextDue) - shown;
  return (
    <>
      <time dateTime={new Date(shown).toISOString()}>{timeText(shown, { withMs: false })}</time>
      <p class="t2">
        {new Date(shown).toLocaleDateString('en-GB', {
          weekday: 'long',
          day: 'numeric',
          month: 'long',
          year: 'numeric',
        })}
        {mode === 'real'
          ? null
          : ` · ${durationText(Math.abs(offsetMs))} ${offsetMs < 0 ? 'behind' : 'ahead of'} the machine`}
        {' · '}
        {dueMs === undefined
          ? 'nothing is due'
          : `next due ${dueMs <= 0 ? 'now' : `in ${durationText(dueMs)}`}, at ${dateTimeText(nextDue ?? '')}`}
      </p>
    </>
  );
}

type Move = (name: string, body: object) => Promise<void>;

function Controls({ clock: { mode }, move }: { readonly clock: ClockAnswer; readonly move: Move }) {
  const store = useStore();
  const { notices } = store;
  const change = (to: (typeof MODES)[number][0]) =>
    notices.attempt(async () => {
      const [name, body] = {
        real: ['reset', {}],
        frozen: ['freeze', {}],
        offset: ['resume', {}],
        scaled: ['scale', { rate: FAST }],
      }[to] as [string, object];
      await post(`clock:${name}`, {}, body);
      await store.refreshClock();
    });
  return (
    <>
      <div class="row">
        <Choice label="How time goes" values={MODES} value={mode} onChoose={change} />
        <span class="t3">Real time keeps the distance to what is due later.</span>
      </div>
      <div class="row">
        {STEPS.map(([step, text]) => (
          <button
            type="button"
            key={step}
            onClick={() => notices.attempt(() => move('advance', { by: step }))}
          >
            {text}
          </button>
        ))}
        <button type="button" class="pri" onClick={() => notices.attempt(() => move('next', {}))}>
          Go to the next due time <kbd>n</kbd>
        </button>
        <AdvanceForm move={move} />
      </div>
    </>
  );
}

/** Advances by a duration that is typed; what is wrong with it stands below it. */
function AdvanceForm({ move }: { readonly move: Move }) {
  const [by, setBy] = useState('');
  const [problem, setProblem] = useState<string>();
  const advance = async () => {
    const durationMs = readDuration(by);
    if (durationMs === undefined) {
      setProblem(`'${by.trim()}' is no duration. Write it as 90 s, 5 min, 2 h, 3 d or PT2H30M.`);
      return;
    }
    setProblem(undefined);
    await move('advance', { by: durationMs }).catch((error: unknown) => setProblem(errorText(error)));
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        advance();
      }}
    >
      <input
        type="text"
        aria-label="Advance by a duration"
        aria-invalid={problem !== undefined}
        aria-describedby="advance-problem"
        placeholder="2 h, 5 min, PT2H30M"
        value={by}
        onInput={(event) => setBy(event.currentTarget.value)}
      />
      <button type="submit">Advance</button>
      {problem === undefined ? null : (
        <p id="advance-problem" class="fieldproblem red" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

/** The result of the last advance: everything that fell due, in its order. */
function Fired({ advanced: { from, to, fired } }: { readonly advanced: AdvancedAnswer }) {
  const events = fired as unknown as readonly PageEvent[];
  return (
    <Panel
      title="Fell due"
      sub={`${events.length} between ${timeText(from, { withMs: false })} and ${dateTimeText(to)}`}
    >
      {events.length === 0 ? (
        <p class="pad t2">Nothing fell due on the way.</p>
      ) : (
        <ul class="why">
          {events.slice(0, MOST_FIRED).map((event) => (
            <li key={event.id}>
              <Icon
                name={
                  event.kind === 'dead-lettered'
                    ? 'dead'
                    : event.kind === 'lock-expired'
                      ? 'warning'
                      : 'scheduled'
                }
              />
              <span>
                <b>{event.kind.replaceAll('-', ' ')}</b> {spokenPath(event.path ?? '')}
                {event.sequenceNumber === undefined ? '' : ` #${event.sequenceNumber}`}
              </span>
              <span class="when">{timeText(event.time)}</span>
            </li>
          ))}
        </ul>
      )}
      {events.length > MOST_FIRED ? (
        <p class="pad t3">And {numberText(events.length - MOST_FIRED)} more.</p>
      ) : null}
    </Panel>
  );
}
