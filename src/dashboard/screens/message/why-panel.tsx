// Why the message is where it is, who holds it and for how long, and what comes next.

import { useMemo } from 'preact/hooks';
import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { Icon, type IconName } from '../../parts/icon.js';
import { Given, Panel } from '../../parts/panel.js';
import { durationText } from '../../state/format.js';
import type { PageEvent } from '../../state/page-event.js';
import { useStore } from '../../state/use-store.js';
import { whyHere } from '../entity/why-here.js';
import { TimeBar, useTimeLeft } from '../sessions/time-left.js';

const STATES: Readonly<Record<RawMessageAnswer['state'] | 'dead', readonly [icon: IconName, text: string]>> =
  {
    active: ['active', 'Active'],
    locked: ['locked', 'Locked'],
    scheduled: ['scheduled', 'Scheduled'],
    deferred: ['deferred', 'Deferred'],
    dead: ['dead', 'Dead-letter'],
  };

type WhyProps = {
  readonly message: RawMessageAnswer;
  readonly path: string;
  readonly isDead: boolean;
  readonly events: readonly PageEvent[];
};

export function WhyPanel({ message, path, isDead, events }: WhyProps) {
  const store = useStore();
  const readAt = useMemo(() => Date.now(), [message]);
  const entity = store.entityAt(path);
  const { state, deadLetterErrorDescription: description } = message;
  const { sentences, next } = whyHere({
    ...{ message, path, isDead, events, now: store.brokerNow.value, dueNow: store.dueNow(readAt) },
    maxDeliveryCount: entity?.kind === 'topic' ? undefined : entity?.maxDeliveryCount,
    topicStatus: entity?.kind === 'topic' ? entity.status : undefined,
  });
  const [icon, text] = STATES[isDead && state === 'active' ? 'dead' : state];
  return (
    <Panel
      title={state === 'locked' ? 'Who has it' : isDead ? 'Why it is here' : 'Where it is'}
      acts={
        <span class={isDead ? 'st box dead' : 'st box'}>
          <Icon name={icon} />
          {text}
        </span>
      }
    >
      <div class="hold">
        {state === 'locked' ? (
          <Lock lock={message.lock} wholeMs={entity?.kind === 'topic' ? undefined : entity?.lockDurationMs} />
        ) : null}
        {sentences.map((sentence) => (
          <p key={sentence}>
            <Given text={sentence} most={600} />
          </p>
        ))}
        {description === undefined ? null : (
          <p class="because b">
            <Given text={description} most={2000} />
          </p>
        )}
        {next === undefined ? null : <p class="t2">{next}</p>}
      </div>
    </Panel>
  );
}

type LockProps = { readonly lock: RawMessageAnswer['lock']; readonly wholeMs: number | undefined };

/** The time that is left, or what ends the lock. */
function Lock({ lock, wholeMs = 30_000 }: LockProps) {
  if (lock === undefined) return null;
  if (lock.lockedUntil === undefined) {
    return (
      <p>
        {lock.sessionId === undefined ? (
          'It is held until the receiver detaches.'
        ) : (
          <>
            It is held as long as its session <Given text={`'${lock.sessionId}'`} most={60} />.
          </>
        )}
      </p>
    );
  }
  const { lockedUntil, startedTime } = lock;
  return <HeldLock {...{ lockedUntil, startedTime, wholeMs }} />;
}

type HeldProps = { readonly lockedUntil: string; readonly startedTime: string; readonly wholeMs: number };

function HeldLock({ lockedUntil, startedTime, wholeMs }: HeldProps) {
  const { brokerNow } = useStore();
  const leftMs = useTimeLeft(lockedUntil);
  return (
    <>
      <div class="big">
        <b role="timer">{durationText(leftMs)}</b>
        <span class="t2">
          left of {durationText(wholeMs)}, held for {durationText(brokerNow.value - Date.parse(startedTime))}
        </span>
      </div>
      <TimeBar {...{ leftMs, wholeMs }} />
    </>
  );
}
