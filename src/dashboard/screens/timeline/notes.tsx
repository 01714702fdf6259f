// Notes on the view: that it stands still, by which clock it goes, where the record begins, or why there is nothing.

import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../../parts/icon.js';
import { Empty } from '../../parts/panel.js';
import { dateTimeText, numberText, plural, shownText, spokenPath, timeText } from '../../state/format.js';
import { go, hrefOf, type MessageRoute } from '../../state/route.js';
import { useStore } from '../../state/use-store.js';
import { isMessage } from './timeline-filter.js';
import type { Timeline } from './use-timeline.js';

type NotesProps = { readonly timeline: Timeline; readonly of: MessageRoute | undefined };

export function Notes({ timeline, of }: NotesProps) {
  const { pausedAt, waitingCount, messages, since } = timeline;
  const { clock, isPaused } = useStore();
  const mode = clock.value?.mode ?? 'real';
  return (
    <>
      {of === undefined || since === undefined || messages.some((each) => isMessage(each, of)) ? null : (
        <Note icon="lanes">
          The record begins at {dateTimeText(since)} and has no step of{' '}
          <a class="acc" href={hrefOf(of)}>
            {spokenPath(of.path)} #{numberText(of.sequenceNumber)}
          </a>{' '}
          any more: its own history has. Below are messages that belong to it.
        </Note>
      )}
      {pausedAt === undefined ? null : (
        <Note icon="pause">
          Paused at {timeText(pausedAt, { withMs: false })}. <b>{numberText(waitingCount)} new</b> since.{' '}
          <button
            type="button"
            class="sm"
            data-harmless
            onClick={() => {
              isPaused.value = false;
            }}
          >
            Go on <kbd>p</kbd>
          </button>
        </Note>
      )}
      {mode === 'real' ? null : (
        <Note icon="scheduled">
          {mode === 'frozen'
            ? 'The clock is frozen: all that happens has the same time. The list of steps has the order.'
            : "The clock is set: times are those of the broker's clock."}
        </Note>
      )}
    </>
  );
}

function Note({ icon, children }: { readonly icon: IconName; readonly children: ComponentChildren }) {
  return (
    <div class="strip" role="status">
      <Icon name={icon} />
      <span>{children}</span>
    </div>
  );
}

/** Why there are no rows, and what would fill them. */
export function Nothing({ timeline, text }: { readonly timeline: Timeline; readonly text: string }) {
  const { filter, messageCount, since } = timeline;
  const showAll = (
    <button type="button" data-harmless onClick={() => go({ screen: 'timeline', filter: '' })}>
      Show all messages
    </button>
  );
  if (filter.problem !== undefined) return <Empty title={shownText(filter.problem, 200)}>{showAll}</Empty>;
  if (filter.key === 'none') {
    return (
      <Empty title="No message has moved yet.">
        A row appears for each message as soon as it is sent or received.{' '}
        <a class="acc" href={hrefOf({ screen: 'connect' })}>
          Connect a client
        </a>
        .
      </Empty>
    );
  }
  return (
    <Empty title={`0 of ${plural(messageCount, 'message')} match.`}>
      Nothing with{' '}
      <code>
        <bdi>{shownText(text, 100)}</bdi>
      </code>{' '}
      {since === undefined ? 'yet' : `since ${dateTimeText(since)}, where the record begins`}. It appears as
      soon as it comes. {showAll}
    </Empty>
  );
}
