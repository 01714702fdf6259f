// The last messages of the destination, of which one is taken as the start of a new one.

import type { MessageAnswer } from '../../../http/control/control-schemas.js';
import { Dialog } from '../../parts/dialog.js';
import { Given } from '../../parts/panel.js';
import { pathOf } from '../../state/api.js';
import { bodyPreview } from '../../state/body-text.js';
import { numberText, spokenPath } from '../../state/format.js';
import { go } from '../../state/route.js';
import type { Listed } from '../../state/store.js';
import { usePolled } from '../../state/use-polled.js';
import { useStore } from '../../state/use-store.js';

/** The messages of each place, and the most places: a topic may have many subscriptions. */
const MOST_MESSAGES = 10;
const MOST_PLACES = 8;

type PickerProps = { readonly destination: string; readonly onClose: () => void };

export function MessagePicker({ destination, onClose }: PickerProps) {
  const store = useStore();
  const entity = store.entityAt(destination.trim());
  return (
    <Dialog title="Take a message" onClose={onClose}>
      {entity === undefined ? <p class="t2">Choose the queue or topic first.</p> : null}
      <div class="picker">
        {placesOf(entity)
          .slice(0, MOST_PLACES)
          .map((place) => (
            <Messages key={place} place={place} onClose={onClose} />
          ))}
      </div>
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </footer>
    </Dialog>
  );
}

/** Where messages for the entity lie: in itself, in its dead letters, in its subscriptions. */
function placesOf(entity: Listed | undefined): readonly string[] {
  if (entity === undefined) return [];
  const holding = entity.kind === 'topic' ? entity.subscriptions : [entity];
  return holding.flatMap(({ path }) => [path, `${path}/$DeadLetterQueue`]);
}

function Messages({ place, onClose }: { readonly place: string; readonly onClose: () => void }) {
  const query = pathOf('messages', { entity: place, order: 'newest', limit: MOST_MESSAGES });
  const { value } = usePolled<{ readonly messages: readonly MessageAnswer[] }>(query);
  if (value === undefined || value.messages.length === 0) return null;
  const take = (from: number) => {
    onClose();
    go({ screen: 'compose', path: place, from });
  };
  return (
    <>
      <h3>{spokenPath(place)}</h3>
      {value.messages.map(({ sequenceNumber, messageId, subject, body }) => (
        <button type="button" class="flat el" key={sequenceNumber} onClick={() => take(sequenceNumber)}>
          <b>#{numberText(sequenceNumber)}</b>{' '}
          <Given text={[messageId, subject, bodyPreview(body, 100)].filter(Boolean).join(' · ')} most={140} />
        </button>
      ))}
    </>
  );
}
