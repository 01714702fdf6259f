// The sessions and locks of all entities: who holds what, and for how long.

import type { LockAnswer, SessionsAnswer } from '../../../http/control/control-schemas.js';
import { Cut } from '../../parts/cut.js';
import { Heads } from '../../parts/heads.js';
import { Empty, Panel } from '../../parts/panel.js';
import { pathOf, post } from '../../state/api.js';
import { durationText, numberText, plural, spokenPath } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import type { Listed } from '../../state/store.js';
import { usePolled } from '../../state/use-polled.js';
import { useStore } from '../../state/use-store.js';
import { useHolders } from '../entity/holders.js';
import { SessionList } from './session-list.js';
import { TimeLeft } from './time-left.js';

/** Entities that are asked, and the rows of each: its own tab has them all. */
const MOST_ENTITIES = 40;
const MOST_ROWS = 100;
const EACH_MS = 1000;

type Receiving = Exclude<Listed, { readonly kind: 'topic' }>;

export function SessionsScreen() {
  const { listed, entities } = useStore();
  const receiving = listed.value.filter((one): one is Receiving => one.kind !== 'topic');
  const withSessions = receiving.filter(({ sessions }) => (sessions?.count ?? 0) > 0);
  const withLocks = receiving.filter(({ counts }) => counts.locked > 0);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return (
    <section aria-label="Sessions and locks">
      <div class="head">
        <h1>Sessions & locks</h1>
        <span class="facts">
          {plural(sum(withSessions.map(({ sessions }) => sessions?.count ?? 0)), 'session')} ·{' '}
          {plural(sum(withLocks.map(({ counts }) => counts.locked)), 'locked message')}
        </span>
      </div>
      {withSessions.slice(0, MOST_ENTITIES).map(({ path }) => (
        <EntitySessions key={path} path={path} />
      ))}
      {withLocks.slice(0, MOST_ENTITIES).map((entity) => (
        <EntityLocks key={entity.path} entity={entity} />
      ))}
      {entities.value !== undefined && withSessions.length + withLocks.length === 0 ? (
        <Empty title="No sessions, and no message is locked.">
          Messages with a session id in an entity that requires sessions make sessions. A receiver in
          peek-lock mode holds each message until it settles it.
        </Empty>
      ) : null}
    </section>
  );
}

function EntitySessions({ path }: { readonly path: string }) {
  const query = pathOf('sessions', { entity: path, max: MOST_ROWS });
  const { value, refresh } = usePolled<SessionsAnswer>(query, { every: EACH_MS });
  if (value === undefined || value.sessions.length === 0) return null;
  return (
    <Panel
      title={`Sessions of ${spokenPath(path)}`}
      acts={
        value.next === undefined ? null : (
          <a class="btn sm" href={hrefOf({ screen: 'entity', path, tab: 'sessions', filter: '' })}>
            More
          </a>
        )
      }
    >
      <SessionList {...{ path, sessions: value.sessions, refresh }} />
    </Panel>
  );
}

function EntityLocks({ entity: { path, lockDurationMs } }: { readonly entity: Receiving }) {
  const holderOf = useHolders();
  const query = pathOf('locks', { entity: path, max: MOST_ROWS });
  const { value, refresh } = usePolled<{ readonly locks: readonly LockAnswer[] }>(query, { every: EACH_MS });
  if (value === undefined || value.locks.length === 0) return null;
  return (
    <Panel
      title={`Locks of ${spokenPath(path)}`}
      acts={
        <a class="btn sm" href={hrefOf({ screen: 'entity', path, tab: 'locked', filter: '' })}>
          The messages
        </a>
      }
    >
      <div class="rows">
        <table class="cards">
          <caption class="vh">Locked messages of {path}</caption>
          <Heads
            names={['#', 'Holder', 'Delivery', 'Held for', 'Time left']}
            right={['#', 'Delivery']}
            act="End lock"
          />
          <tbody>
            {value.locks.map((lock) => (
              <LockRow
                key={lock.sequenceNumber}
                {...{ path, lock, lockDurationMs, refresh }}
                holder={lock.linkId === undefined ? 'received by its number' : holderOf(lock.linkId)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

type LockRowProps = {
  readonly path: string;
  readonly lock: LockAnswer;
  readonly lockDurationMs: number;
  readonly holder: string | undefined;
  readonly refresh: () => Promise<void>;
};

function LockRow({ path, lock, lockDurationMs, holder, refresh }: LockRowProps) {
  const { isReadOnly, notices, brokerNow } = useStore();
  const { sequenceNumber, linkId, sessionId, startedTime, lockedUntil, deliveryCount } = lock;
  const end = () =>
    notices.attempt(async () => {
      await post('locks:end', { entity: path }, { sequenceNumbers: [sequenceNumber] });
      notices.show(`The lock of ${spokenPath(path)} #${numberText(sequenceNumber)} is ended.`);
      await refresh();
    });
  return (
    <tr>
      <th scope="row" class="r m">
        <a class="acc" href={hrefOf({ screen: 'message', path, tab: 'locked', sequenceNumber })}>
          {numberText(sequenceNumber)}
        </a>
      </th>
      <td data-label="Holder">
        <Cut text={holder ?? `link ${linkId}`} />
        {lock.isInTransaction ? <span class="t3"> in a transaction</span> : null}
      </td>
      <td data-label="Delivery" class="r">
        {numberText(deliveryCount + 1)}
      </td>
      <td data-label="Held for">{durationText(brokerNow.value - Date.parse(startedTime))}</td>
      <td data-label="Time left">
        {sessionId === undefined ? null : <p class="t3">with its session</p>}
        {lockedUntil === undefined ? null : <TimeLeft until={lockedUntil} ofMs={lockDurationMs} />}
      </td>
      {isReadOnly.value ? null : (
        <td data-label="End lock">
          {sessionId === undefined ? (
            <button type="button" class="sm" onClick={end}>
              End lock
            </button>
          ) : null}
        </td>
      )}
    </tr>
  );
}
