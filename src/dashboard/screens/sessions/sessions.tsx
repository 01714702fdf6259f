// Sessions and locks of all entities: who holds what, for how long, with the time that is left.

import type { ConnectionsAnswer, LockAnswer, SessionsAnswer } from '../../../http/control/control-schemas.js';
import { Empty, Given, Panel } from '../../parts/panel.js';
import { ApiError, get, post } from '../../state/api.js';
import {
  bytesText,
  durationText,
  linkClientName,
  numberText,
  shownText,
  spokenPath,
  timeText,
} from '../../state/format.js';
import { entities, type Listed, listed, now } from '../../state/model.js';
import { hrefOf } from '../../state/route.js';
import { attempt, say } from '../../state/said.js';
import { isReadOnly } from '../../state/settings.js';
import { useLookEachSecond } from '../../state/use-look-each-second.js';

/** Entities that are asked at a time, and the rows of each. */
const MOST_ENTITIES = 40;
const MOST_ROWS = 100;
/** A lock with less left stands out. */
const LOW_SHARE = 0.2;

type Session = SessionsAnswer['sessions'][number] & { readonly path: string };
type Lock = LockAnswer & { readonly path: string; readonly lockDurationMs: number };
type Looked = {
  readonly sessions: readonly Session[];
  readonly locks: readonly Lock[];
  readonly leftOutCount: number;
  readonly holders: Holders;
};
/** The names of clients by their links. */
type Holders = ReadonlyMap<number, string>;

export function SessionsScreen() {
  // Which entities have sessions is not known before.
  return entities.value === undefined ? <section aria-label="Sessions and locks" /> : <SessionsAndLocks />;
}

function SessionsAndLocks() {
  const { looked } = useLookEachSecond(look);
  if (looked === undefined) return <section aria-label="Sessions and locks" />;
  const { sessions, locks, leftOutCount, holders } = looked;
  return (
    <section aria-label="Sessions and locks">
      <div class="head">
        <h1>Sessions & locks</h1>
        <span class="facts">
          <b>{numberText(sessions.length)}</b> sessions · <b>{numberText(locks.length)}</b> locks
          {leftOutCount === 0 ? null : ` · ${leftOutCount} more entities are not shown`}
        </span>
      </div>
      <Panel title="Sessions" sub="with their messages, state and holder">
        {sessions.length === 0 ? (
          <Empty title="No sessions.">
            Messages with a session id in an entity that requires sessions make them.
          </Empty>
        ) : (
          <SessionList sessions={sessions} holders={holders} />
        )}
      </Panel>
      <Panel title="Locks" sub="messages that a receiver holds">
        {locks.length === 0 ? (
          <Empty title="No message is locked.">
            A receiver in peek-lock mode holds each message until it settles it.
          </Empty>
        ) : (
          <LockTable locks={locks} holders={holders} />
        )}
      </Panel>
    </section>
  );
}

async function look(signal: AbortSignal): Promise<Looked> {
  const holding = listed.peek().filter((one) => one.kind !== 'topic');
  const withSessions = holding.filter((one) => 'requiresSession' in one && one.requiresSession);
  const withLocks = holding.filter(({ counts }) => counts.locked > 0);
  const ask = async <Row,>(of: readonly Listed[], read: (path: string) => Promise<readonly Row[]>) =>
    (await Promise.all(of.slice(0, MOST_ENTITIES).map(({ path }) => read(path).catch(noneIfGone)))).flat();
  const sessions = await ask(withSessions, async (path): Promise<readonly Session[]> => {
    const answer = await get<SessionsAnswer>('sessions', { entity: path, max: MOST_ROWS }, signal);
    return answer.sessions.map((session) => ({ ...session, path }));
  });
  const locks = await ask(withLocks, async (path): Promise<readonly Lock[]> => {
    const answer = await get<{ locks: readonly LockAnswer[] }>(
      'locks',
      { entity: path, max: MOST_ROWS },
      signal,
    );
    const entity = holding.find((one) => one.path === path);
    const lockDurationMs =
      entity !== undefined && 'lockDurationMs' in entity ? entity.lockDurationMs : 30_000;
    return answer.locks.map((lock) => ({ ...lock, path, lockDurationMs }));
  });
  const { connections } = await get<ConnectionsAnswer>('connections', {}, signal);
  const leftOutCount =
    Math.max(0, withSessions.length - MOST_ENTITIES) + Math.max(0, withLocks.length - MOST_ENTITIES);
  return { sessions, locks, leftOutCount, holders: holdersOf(connections) };
}

/** An entity that has been deleted since the entities were read has nothing. */
function noneIfGone(error: unknown): readonly never[] {
  if (error instanceof ApiError && error.status === 404) return [];
  throw error;
}

function holdersOf(connections: ConnectionsAnswer['connections']): Holders {
  return new Map(
    connections.flatMap(({ label, links }) =>
      links.flatMap(({ linkId, identifier }) =>
        linkId === undefined ? [] : [[linkId, linkClientName(label, identifier)] as const],
      ),
    ),
  );
}

type SessionListProps = { readonly sessions: readonly Session[]; readonly holders: Holders };

function SessionList({ sessions, holders }: SessionListProps) {
  return (
    <table>
      <caption class="vh">Sessions</caption>
      <thead>
        <tr>
          <th scope="col">Entity</th>
          <th scope="col">Session</th>
          <th scope="col" class="r">
            Messages
          </th>
          <th scope="col" class="r">
            Locked
          </th>
          <th scope="col">State</th>
          <th scope="col">Holder</th>
          <th scope="col">Time left</th>
          {isReadOnly.value ? null : <th scope="col">Act</th>}
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <SessionRow key={`${session.path} ${session.sessionId}`} session={session} holders={holders} />
        ))}
      </tbody>
    </table>
  );
}

type SessionRowProps = { readonly session: Session; readonly holders: Holders };

function SessionRow({ session, holders }: SessionRowProps) {
  const { path, sessionId, messageCount, lockedCount, stateBytes, stateSetTime, holder } = session;
  const end = () =>
    attempt(async () => {
      await post('sessions:end', { entity: path }, { sessionId });
      say(`The lock of session '${sessionId}' is ended.`);
    });
  return (
    <tr>
      <td>{spokenPath(path)}</td>
      <th scope="row" class="m">
        <a href={hrefOf({ screen: 'timeline', filter: `session:${sessionId}` })}>
          <Given text={sessionId} most={60} />
        </a>
      </th>
      <td class={messageCount === 0 ? 'r z' : 'r'}>{numberText(messageCount)}</td>
      <td class={lockedCount === 0 ? 'r z' : 'r'}>{numberText(lockedCount)}</td>
      <td class={stateBytes === undefined ? 't3' : ''}>
        {stateBytes === undefined ? 'none' : bytesText(stateBytes)}
        {stateSetTime === undefined ? null : (
          <span class="t3"> since {timeText(stateSetTime, { withMs: false })}</span>
        )}
      </td>
      <td>
        {holder === undefined ? (
          <span class="t3">free</span>
        ) : (
          <Holder linkId={holder.linkId} holders={holders} />
        )}
      </td>
      <td>{holder?.lockedUntil === undefined ? null : <TimeLeft until={holder.lockedUntil} />}</td>
      {isReadOnly.value ? null : (
        <td>
          {holder === undefined ? null : (
            <button type="button" class="sm" onClick={end}>
              End lock
            </button>
          )}
        </td>
      )}
    </tr>
  );
}

/** A client by its name, with its link. */
function Holder({ linkId, holders }: { readonly linkId: number; readonly holders: Holders }) {
  const name = holders.get(linkId);
  return (
    <>
      {name === undefined ? null : <bdi>{shownText(name, 40)} · </bdi>}
      <span class="t3">link {linkId}</span>
    </>
  );
}

type LockTableProps = { readonly locks: readonly Lock[]; readonly holders: Holders };

function LockTable({ locks, holders }: LockTableProps) {
  return (
    <table>
      <caption class="vh">Locked messages</caption>
      <thead>
        <tr>
          <th scope="col">Entity</th>
          <th scope="col" class="r">
            #
          </th>
          <th scope="col">Lock</th>
          <th scope="col">Holder</th>
          <th scope="col" class="r">
            Deliveries
          </th>
          <th scope="col">Held for</th>
          <th scope="col">Time left</th>
          {isReadOnly.value ? null : <th scope="col">Act</th>}
        </tr>
      </thead>
      <tbody>
        {locks.map((lock) => (
          <LockRow key={`${lock.path} ${lock.sequenceNumber}`} lock={lock} holders={holders} />
        ))}
      </tbody>
    </table>
  );
}

function LockRow({ lock, holders }: { readonly lock: Lock; readonly holders: Holders }) {
  const { path, sequenceNumber, tokenStart, linkId, sessionId, startedTime, lockedUntil, deliveryCount } =
    lock;
  const end = () =>
    attempt(async () => {
      await post('locks:end', { entity: path }, { sequenceNumbers: [sequenceNumber] });
      say(`The lock of ${spokenPath(path)} #${numberText(sequenceNumber)} is ended.`);
    });
  return (
    <tr>
      <td>{spokenPath(path)}</td>
      <th scope="row" class="r m">
        <a href={hrefOf({ screen: 'message', path, tab: 'locked', sequenceNumber })}>
          {numberText(sequenceNumber)}
        </a>
      </th>
      <td class="m">{tokenStart}…</td>
      <td>
        {linkId === undefined ? 'received by its number' : <Holder linkId={linkId} holders={holders} />}
        {lock.isInTransaction ? <span class="t3"> in a transaction</span> : null}
      </td>
      <td class="r">{deliveryCount + 1}</td>
      <td>{durationText(now.value - Date.parse(startedTime))}</td>
      <td>
        {sessionId === undefined ? null : <span class="t3">with its session</span>}
        {lockedUntil === undefined ? null : <TimeLeft until={lockedUntil} ofMs={lock.lockDurationMs} />}
      </td>
      {isReadOnly.value ? null : (
        <td>
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

/** The time that is left as a bar with its number. */
export function TimeLeft({ until, ofMs = 30_000 }: { readonly until: string; readonly ofMs?: number }) {
  const leftMs = Math.max(0, Date.parse(until) - now.value);
  const share = Math.min(1, leftMs / ofMs);
  return (
    <span class="left">
      <span class={share < LOW_SHARE ? 'bar low' : 'bar'}>
        <i style={{ width: `${Math.round(share * 100)}%` }} />
      </span>{' '}
      {durationText(leftMs)}
    </span>
  );
}
