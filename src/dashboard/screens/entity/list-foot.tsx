// The line below a list that is not read whole: how far it is read, and the ways to its start and its end.

import { numberText } from '../../state/format.js';
import { type Messages, MOST_SCANNED } from './use-messages.js';

type FootProps = {
  readonly messages: Messages;
  readonly total: number | undefined;
  /** The number that the list begins with; 0 for its first message. */
  readonly start: number;
  readonly isFiltered: boolean;
  readonly onStart: () => void;
  readonly onEnd: () => void;
};

export function ListFoot({ messages, total, start, isFiltered, onStart, onEnd }: FootProps) {
  const { pages, isStopped, scanOn } = messages;
  if (pages === undefined || (pages.isComplete && start === 0)) return null;
  const of = total === undefined ? '' : ` of ${numberText(Math.max(total, pages.seen))}`;
  return (
    <div class="row listfoot">
      <span class="t2">
        {numberText(pages.seen)}
        {of} are {isFiltered ? 'looked at' : 'read'}
        {start === 0 ? '' : `, from #${numberText(start)} on`}.{' '}
        {isStopped
          ? 'The filter has stopped here.'
          : isFiltered || pages.isComplete
            ? ''
            : 'Scrolling down reads on.'}
      </span>
      {isStopped ? (
        <button type="button" class="sm" onClick={scanOn}>
          Look at {numberText(MOST_SCANNED)} more
        </button>
      ) : null}
      <span class="push" />
      {start === 0 ? null : (
        <button type="button" class="sm" onClick={onStart}>
          To the first
        </button>
      )}
      {pages.isComplete ? null : (
        <button type="button" class="sm" onClick={onEnd}>
          To the last
        </button>
      )}
    </div>
  );
}
