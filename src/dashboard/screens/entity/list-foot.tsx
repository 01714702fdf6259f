// The line below a list that is not read whole: how far it is read, and the way to go on.

import { numberText } from '../../state/format.js';
import { type Messages, MOST_SCANNED } from './use-messages.js';

type FootProps = { readonly messages: Messages; readonly isFiltered: boolean };

export function ListFoot({ messages: { rows, isStopped, scanOn }, isFiltered }: FootProps) {
  if (rows === undefined || rows.isComplete) return null;
  const { count, scannedCount, totalCount, isFull } = rows;
  const total = Math.max(totalCount, scannedCount);
  return (
    <div class="row listfoot">
      <progress value={scannedCount} max={total} aria-label="Messages that are read" />
      <span class="t2">
        {isFiltered
          ? `${count === 0 ? 'None' : numberText(count)} in the first ${numberText(scannedCount)} of ${numberText(total)}`
          : `${numberText(count)} of ${numberText(total)} are read`}
        {isFull ? '. The list ends here: a filter, or the other order, shows the rest.' : ''}
      </span>
      {isStopped ? (
        <button type="button" class="sm" onClick={scanOn}>
          Go on with {numberText(MOST_SCANNED)} more
        </button>
      ) : null}
    </div>
  );
}
