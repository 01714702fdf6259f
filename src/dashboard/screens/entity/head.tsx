// The head of an entity: its name, what it does with messages, and the acts on all of them.

import { useState } from 'preact/hooks';
import type { PurgedAnswer } from '../../../http/control/control-schemas.js';
import { Confirm } from '../../parts/dialog.js';
import { Icon } from '../../parts/icon.js';
import { post } from '../../state/api.js';
import { bytesText, durationText, numberText, shortName, spokenPath } from '../../state/format.js';
import type { Listed } from '../../state/model.js';
import { hrefOf, storePathOf, type Tab } from '../../state/route.js';
import { attempt, say } from '../../state/said.js';
import { isReadOnly } from '../../state/settings.js';
import { isDeadTab } from './tabs.js';

type HeadProps = {
  readonly entity: Listed;
  readonly tab: Tab;
  /** Undefined where no list is shown. */
  readonly onExport: (() => void) | undefined;
  readonly onPurged: () => void;
};

export function EntityHead({ entity, tab, onExport, onPurged }: HeadProps) {
  const [isAsking, setAsking] = useState(false);
  const { path, kind } = entity;
  return (
    <div class="head">
      <h1>
        <span class="crumb">
          <Crumb entity={entity} /> /
        </span>{' '}
        <bdi>{kind === 'subscription' ? shortName(path) : path}</bdi>
      </h1>
      <Facts entity={entity} />
      <span class="push" />
      {isReadOnly.value ? null : (
        <a
          class="btn"
          href={hrefOf({
            screen: 'compose',
            path: kind === 'subscription' ? entity.topic : path,
            from: undefined,
          })}
        >
          <Icon name="edit" />
          New message <kbd>c</kbd>
        </a>
      )}
      {onExport === undefined ? null : (
        <button type="button" onClick={onExport} title="All that the list shows, as NDJSON">
          <Icon name="out" />
          Export
        </button>
      )}
      {isReadOnly.value ? null : (
        <button type="button" class="bad" onClick={() => setAsking(true)}>
          Purge…
        </button>
      )}
      {isAsking ? (
        <PurgeQuestion entity={entity} tab={tab} onClose={() => setAsking(false)} onPurged={onPurged} />
      ) : null}
    </div>
  );
}

function Crumb({ entity }: { readonly entity: Listed }) {
  if (entity.kind === 'queue') return <a href={hrefOf({ screen: 'overview' })}>Queues</a>;
  if (entity.kind === 'topic') return <a href={hrefOf({ screen: 'overview' })}>Topics</a>;
  return (
    <a href={hrefOf({ screen: 'entity', path: entity.topic, tab: 'scheduled', filter: '' })}>
      {entity.topic}
    </a>
  );
}

function Facts({ entity }: { readonly entity: Listed }) {
  const { status, defaultTimeToLiveMs, links, sizeBytes } = entity;
  const isTopic = entity.kind === 'topic';
  return (
    <span class="facts el">
      {status === 'Active' ? null : (
        <>
          <b class="amb">{status}</b> ·{' '}
        </>
      )}
      {isTopic ? null : (
        <>
          lock <b>{durationText(entity.lockDurationMs).replace('.0 ', ' ')}</b> ·{' '}
          <b>{entity.maxDeliveryCount}</b> deliveries · {entity.requiresSession ? 'sessions · ' : ''}
          {entity.forwardTo === undefined ? '' : `forwards to ${spokenPath(entity.forwardTo)} · `}
        </>
      )}
      {defaultTimeToLiveMs === undefined ? null : (
        <>
          keeps <b>{durationText(defaultTimeToLiveMs)}</b> ·{' '}
        </>
      )}
      {isTopic ? (
        <>
          <b>{numberText(entity.subscriptions.length)}</b> subscriptions · <b>{numberText(links.senders)}</b>{' '}
          senders
        </>
      ) : (
        <>
          <b>{numberText(links.receivers)}</b> {links.receivers === 1 ? 'consumer' : 'consumers'}
        </>
      )}{' '}
      · <b>{bytesText(sizeBytes)}</b>
    </span>
  );
}

type QuestionProps = Pick<HeadProps, 'entity' | 'tab' | 'onPurged'> & { readonly onClose: () => void };

/** Says what a purge takes, and what it leaves. */
function PurgeQuestion({ entity, tab, onClose, onPurged }: QuestionProps) {
  const { counts, path, kind } = entity;
  const isDead = isDeadTab(tab);
  const store = storePathOf(path, isDead ? tab : 'active');
  const dead = tab === 'transfer-dead' ? counts.transferDeadLetter : counts.deadLetter;
  const held = counts.active + counts.locked + counts.scheduled + counts.deferred;
  const purge = () =>
    attempt(async () => {
      const { count } = await post<PurgedAnswer>('messages:purge', { entity: store }, {});
      say(`Purged ${numberText(count)} ${count === 1 ? 'message' : 'messages'} of ${spokenPath(store)}.`);
      onPurged();
    });
  return (
    <Confirm title={`Purge ${spokenPath(store)}?`} act="Purge" onConfirm={purge} onClose={onClose}>
      {isDead ? (
        <>
          All <b>{numberText(dead)}</b> dead letters go. Other messages of {spokenPath(path)} stay.
        </>
      ) : kind === 'topic' ? (
        <>
          All scheduled messages of {path} and all messages of its subscriptions go. Their dead letters stay.
        </>
      ) : (
        <>
          All <b>{numberText(held)}</b> messages go: active, locked, scheduled and deferred. The{' '}
          <b>{numberText(counts.deadLetter)}</b> dead letters stay.
        </>
      )}{' '}
      This cannot be undone.
    </Confirm>
  );
}
