// Who has the message, for how long, and what comes next; with the acts on it.

import { Icon, type IconName } from '../../parts/icon.js';
import { Panel } from '../../parts/panel.js';
import { clientName, dateTimeText, durationText, shownText, spokenPath } from '../../state/format.js';
import { entityAt, now } from '../../state/model.js';
import type { PageEvent } from '../../state/page-event.js';
import { hrefOf } from '../../state/route.js';
import { isReadOnly } from '../../state/settings.js';
import type { MessageActs, ShownMessage } from './message-acts.js';

const STATES: Readonly<Record<ShownMessage['state'] | 'dead', readonly [icon: IconName, text: string]>> = {
  active: ['active', 'Active'],
  locked: ['locked', 'Locked'],
  scheduled: ['scheduled', 'Scheduled'],
  deferred: ['deferred', 'Deferred'],
  dead: ['dead', 'Dead-letter'],
};

type HolderProps = {
  readonly message: ShownMessage;
  readonly path: string;
  readonly isDead: boolean;
  readonly events: readonly PageEvent[];
  readonly acts: MessageActs;
};

export function HolderPanel({ message, path, isDead, events, acts }: HolderProps) {
  const { state, deliveryCount } = message;
  const entity = entityAt(path);
  const most = entity !== undefined && 'maxDeliveryCount' in entity ? entity.maxDeliveryCount : undefined;
  const [icon, text] = STATES[isDead && state === 'active' ? 'dead' : state];
  return (
    <Panel title={state === 'locked' ? 'Who has it' : isDead ? 'Why it is here' : 'Where it is'}>
      <div class="hold">
        <div class="row apart">
          <span class={isDead ? 'st box dead' : 'st box'}>
            <Icon name={icon} />
            {text}
          </span>
          <span class="t3">
            {state === 'locked' ? 'delivery' : 'delivered'}{' '}
            <b class="t2">{state === 'locked' ? deliveryCount + 1 : deliveryCount}</b>
            {most === undefined || isDead ? (state === 'locked' ? '' : ' times') : ` of ${most}`}
          </span>
        </div>
        {state === 'locked' ? <Lock message={message} events={events} path={path} /> : null}
        {isDead ? <DeadWhy message={message} events={events} path={path} /> : null}
        <Next message={message} path={path} isDead={isDead} />
        {isReadOnly.value ? null : <Acts state={state} isDead={isDead} acts={acts} />}
      </div>
    </Panel>
  );
}

function Lock({ message: { lock }, events, path }: Pick<HolderProps, 'message' | 'events' | 'path'>) {
  if (lock === undefined) return null;
  const { lockedUntil, startedTime, sessionId } = lock;
  const heldMs = now.value - Date.parse(startedTime);
  const holder = events.findLast(({ kind }) => kind === 'locked');
  const renewals = events
    .slice(events.findLastIndex(({ kind }) => kind === 'locked'))
    .filter(({ kind }) => kind === 'renewed');
  const entity = entityAt(path);
  const wholeMs = entity !== undefined && 'lockDurationMs' in entity ? entity.lockDurationMs : 30_000;
  const leftMs = lockedUntil === undefined ? undefined : Math.max(0, Date.parse(lockedUntil) - now.value);
  return (
    <>
      {leftMs === undefined ? (
        <p>
          It is held{' '}
          {sessionId === undefined
            ? 'until the receiver detaches'
            : `as long as its session '${shownText(sessionId, 60)}'`}
          .
        </p>
      ) : (
        <>
          <div class="big">
            <b role="timer">{durationText(leftMs)}</b>
            <span class="t2">left of {durationText(wholeMs)}</span>
          </div>
          <span class={leftMs < wholeMs / 5 ? 'bar low' : 'bar'}>
            <i style={{ width: `${Math.min(100, (leftMs / wholeMs) * 100)}%` }} />
          </span>
        </>
      )}
      <p>
        Held by{' '}
        <a class="b acc" href={hrefOf({ screen: 'connections' })}>
          {clientName(holder?.client)}
        </a>{' '}
        <span class="t2">
          for {durationText(heldMs)}, renewed {renewals.length} times
        </span>
      </p>
    </>
  );
}

function DeadWhy({ message, events, path }: Pick<HolderProps, 'message' | 'events' | 'path'>) {
  const { deadLetterReason, deadLetterErrorDescription, lastHolder, deadLetterSource } = message;
  const abandoned = events.filter(({ kind }) => kind === 'abandoned').length;
  const expired = events.filter(({ kind }) => kind === 'lock-expired').length;
  const ends = [
    abandoned === 0 ? '' : `abandoned ${abandoned} ${abandoned === 1 ? 'time' : 'times'}`,
    expired === 0 ? '' : `${expired} ${expired === 1 ? 'lock' : 'locks'} expired`,
  ].filter((text) => text !== '');
  const entity = entityAt(path);
  const most = entity !== undefined && 'maxDeliveryCount' in entity ? entity.maxDeliveryCount : undefined;
  return (
    <>
      <p class="b">
        <bdi>{shownText(deadLetterReason ?? 'Without a reason', 200)}</bdi>
      </p>
      {deadLetterReason === 'MaxDeliveryCountExceeded' && most !== undefined ? (
        <p>
          Delivered {most} times, the most that <b>{spokenPath(path)}</b> allows
          {ends.length === 0 ? '' : `: ${ends.join(', ')}`}.
        </p>
      ) : null}
      {deadLetterErrorDescription === undefined ? null : (
        <p class="t2">
          <bdi dir="auto">{shownText(deadLetterErrorDescription, 600)}</bdi>
        </p>
      )}
      {lastHolder === undefined ? null : (
        <p class="t2">
          Last held by <bdi>{shownText(lastHolder, 120)}</bdi>.
        </p>
      )}
      {deadLetterSource === undefined ? null : (
        <p class="t2">It comes from the dead-letter queue of {spokenPath(deadLetterSource)}.</p>
      )}
    </>
  );
}

/** The future of the message if nobody does anything. */
function Next({
  message: { state, lock, expiresAt, scheduledTime, deliveryCount },
  path,
  isDead,
}: Pick<HolderProps, 'message' | 'path' | 'isDead'>) {
  const entity = entityAt(path);
  const most = entity !== undefined && 'maxDeliveryCount' in entity ? entity.maxDeliveryCount : undefined;
  let text: string | undefined;
  if (state === 'locked' && lock?.lockedUntil !== undefined) {
    const isLast = !isDead && most !== undefined && deliveryCount + 1 >= most;
    const where = isLast
      ? 'goes to the dead-letter queue, because that was the last delivery'
      : `returns to ${spokenPath(path)}`;
    text = `At ${dateTimeText(lock.lockedUntil)} it ${where}, unless it is settled or renewed.`;
  } else if (state === 'scheduled' && scheduledTime !== undefined) {
    const leftMs = Date.parse(scheduledTime) - now.value;
    const isHeld = leftMs < 0 && entity?.kind === 'topic' && entity.status !== 'Active';
    text = isHeld
      ? `It was due at ${dateTimeText(scheduledTime)}. Its topic is ${entity.status}: it becomes active when the topic does.`
      : `It becomes active at ${dateTimeText(scheduledTime)}, in ${durationText(leftMs)}.`;
  } else if (expiresAt !== undefined && !isDead) {
    text = `It expires at ${dateTimeText(expiresAt)}, in ${durationText(Date.parse(expiresAt) - now.value)}.`;
  } else if (isDead) {
    text = 'It stays until somebody takes, resubmits or deletes it.';
  } else if (state === 'deferred') {
    text = 'It waits until a receiver asks for its number.';
  }
  if (text === undefined) return null;
  return (
    <div class="next">
      <h3>Next</h3>
      <p class="t2">{text}</p>
    </div>
  );
}

function Acts({
  state,
  isDead,
  acts,
}: {
  readonly state: ShownMessage['state'];
  readonly isDead: boolean;
  readonly acts: MessageActs;
}) {
  return (
    <div class="row">
      {isDead ? (
        <button type="button" class="sm pri" onClick={acts.resubmit}>
          Resubmit <kbd>r</kbd>
        </button>
      ) : null}
      {state === 'locked' ? (
        <button type="button" class="sm" onClick={acts.endLock}>
          End lock now
        </button>
      ) : null}
      {state === 'scheduled' || state === 'deferred' ? (
        <button type="button" class="sm" onClick={acts.activate}>
          Activate now
        </button>
      ) : null}
      {isDead ? null : (
        <button type="button" class="sm" onClick={acts.deadLetter}>
          Dead-letter
        </button>
      )}
      <button type="button" class="sm bad" onClick={acts.remove}>
        Delete <kbd>d</kbd>
      </button>
    </div>
  );
}
