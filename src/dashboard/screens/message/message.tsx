// One message: its body, its properties with their types, who has it, and what has happened to it.

import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import { Empty } from '../../parts/panel.js';
import { ApiError, get } from '../../state/api.js';
import { durationText, numberText, shownText, spokenPath } from '../../state/format.js';
import { useKeys } from '../../state/keys.js';
import { missingMessage } from '../../state/missing-message.js';
import { now, openedCount } from '../../state/model.js';
import { go, hrefOf, storePathOf, type Tab } from '../../state/route.js';
import { isReadOnly } from '../../state/settings.js';
import { BodyPanel } from './body-panel.js';
import { CopyAs } from './copy-as.js';
import { HistoryPanel, useHistory } from './history-panel.js';
import { HolderPanel } from './holder-panel.js';
import { messageActs, type ShownMessage } from './message-acts.js';
import { PropertiesPanel } from './properties-panel.js';

type MessageProps = { readonly path: string; readonly tab: Tab; readonly sequenceNumber: number };
type MessageIds = { readonly messageId?: string | undefined; readonly correlationId?: string | undefined };
type NotFound = { readonly problem: string; readonly isGone: boolean; readonly wasShown: boolean };
type Found = { readonly message: ShownMessage } | NotFound;

const RETRY_MS = 2000;

const TAB_NAMES: Readonly<Partial<Record<Tab, string>>> = {
  active: 'Active',
  locked: 'Locked',
  scheduled: 'Scheduled',
  deferred: 'Deferred',
  dead: 'Dead-letter',
  'transfer-dead': 'Transfer dead-letter',
};

export function MessageScreen({ path, tab, sequenceNumber }: MessageProps) {
  const store = storePathOf(path, tab);
  const history = useHistory(store, sequenceNumber);
  const found = useMessage(store, sequenceNumber, history?.events.at(-1)?.id);
  const back = () => go({ screen: 'entity', path, tab, filter: '' });
  const acts = messageActs(store, sequenceNumber, back);
  const isDead = tab === 'dead' || tab === 'transfer-dead';
  const ids = found !== undefined && 'message' in found ? found.message : history?.events[0];
  const follow = () => go({ screen: 'timeline', filter: followFilter(ids, path, sequenceNumber) });
  const resend = () => go({ screen: 'compose', path: store, from: sequenceNumber });
  const changing = isReadOnly.value
    ? {}
    : { d: acts.remove, e: resend, ...(isDead ? { r: acts.resubmit } : {}) };
  useKeys({ Escape: back, f: follow, ...changing });
  if (found === undefined) return <section aria-label={`Message ${sequenceNumber}`} />;
  return (
    <section class="whole" aria-label={`Message ${sequenceNumber}`}>
      <div class="head">
        <Crumbs path={path} tab={tab} sequenceNumber={sequenceNumber} />
        <Facts found={found} history={history?.events} />
        <span class="push" />
        <button type="button" onClick={follow}>
          <Icon name="lanes" />
          Follow <kbd>f</kbd>
        </button>
        {isReadOnly.value || !('message' in found) ? null : <ResendButton onClick={resend} />}
      </div>
      {'problem' in found ? (
        <>
          <Problem
            found={found}
            store={store}
            sequenceNumber={sequenceNumber}
            hasEvents={(history?.events ?? []).length > 0}
          />
          <HistoryPanel history={history} />
        </>
      ) : (
        <div class="cols msg">
          <div class="stack">
            <BodyPanel message={found.message} />
            <CopyAs message={found.message} path={path} />
          </div>
          <PropertiesPanel message={found.message} />
          <div class="stack">
            <HolderPanel
              message={found.message}
              path={path}
              isDead={isDead}
              events={history?.events ?? []}
              acts={acts}
            />
            <HistoryPanel history={history} />
          </div>
        </div>
      )}
    </section>
  );
}

type ProblemProps = {
  readonly found: NotFound;
  readonly store: string;
  readonly sequenceNumber: number;
  readonly hasEvents: boolean;
};

function Problem({ found: { problem, isGone, wasShown }, ...message }: ProblemProps) {
  if (!isGone)
    return <Empty title={`#${numberText(message.sequenceNumber)} cannot be shown.`}>{problem}</Empty>;
  const { title, text } = missingMessage({ ...message, answer: problem, wasShown });
  return <Empty title={title}>{text}</Empty>;
}

function Crumbs({ path, tab, sequenceNumber }: MessageProps) {
  return (
    <h1>
      <span class="crumb">
        <a href={hrefOf({ screen: 'entity', path, tab, filter: '' })}>
          {spokenPath(path)} / {TAB_NAMES[tab] ?? ''}
        </a>{' '}
        /
      </span>{' '}
      #{numberText(sequenceNumber)}
    </h1>
  );
}

function ResendButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" onClick={onClick}>
      <Icon name="edit" />
      Edit and resend <kbd>e</kbd>
    </button>
  );
}

type FactsProps = { readonly found: Found; readonly history: readonly MessageIds[] | undefined };

function Facts({ found, history }: FactsProps) {
  if ('message' in found) return <MessageFacts message={found.message} />;
  return <Ids of={history?.find(({ messageId }) => messageId !== undefined)} />;
}

function MessageFacts({
  message: { messageId, subject, sizeBytes, enqueuedTime },
}: {
  readonly message: ShownMessage;
}) {
  return (
    <span class="facts el">
      {messageId === undefined ? null : (
        <span class="m">
          <bdi>{shownText(messageId, 60)}</bdi>
        </span>
      )}
      {subject === undefined ? null : (
        <>
          {' · '}
          <bdi>{shownText(subject, 60)}</bdi>
        </>
      )}{' '}
      · {numberText(sizeBytes)} bytes · in the system for{' '}
      <b>{durationText(now.value - Date.parse(enqueuedTime))}</b>
    </span>
  );
}

/** The ids of a message that is not there any more, as its history has them. */
function Ids({ of: ids }: { readonly of: MessageIds | undefined }) {
  if (ids?.messageId === undefined) return null;
  return (
    <span class="facts el m">
      <bdi>{shownText(ids.messageId, 60)}</bdi>
    </span>
  );
}

/** Reads the message, and anew whenever something has happened to it. */
function useMessage(store: string, sequenceNumber: number, lastStep: number | undefined): Found | undefined {
  const [found, setFound] = useState<Found>();
  const opened = openedCount.value;
  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = () =>
      get<ShownMessage>(`messages/${sequenceNumber}`, { entity: store }, ending.signal).then(
        (message) => setFound({ message }),
        (error: unknown) => {
          if (ending.signal.aborted) return;
          // While nobody answers, what was read before stays, and the strip says since when.
          setFound((before) =>
            isUnanswered(error) && before !== undefined ? before : notFound(error, before),
          );
          if (!isMissing(error)) timer = setTimeout(read, RETRY_MS);
        },
      );
    read();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [store, sequenceNumber, lastStep, opened]);
  return found;
}

function notFound(error: unknown, before: Found | undefined): NotFound {
  const problem = error instanceof Error ? error.message : String(error);
  const wasShown = before !== undefined && ('message' in before || before.wasShown);
  return { problem, isGone: isMissing(error), wasShown };
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function isUnanswered(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0;
}

function followFilter(ids: MessageIds | undefined, path: string, sequenceNumber: number): string {
  if (ids?.correlationId !== undefined) return `correlation:${ids.correlationId}`;
  return ids?.messageId === undefined ? `${path}#${sequenceNumber}` : `message:${ids.messageId}`;
}
