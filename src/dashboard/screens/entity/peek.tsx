// A message opened within the list: why it is here, and its body. It has the height of some rows, so that the list stays exact.

import { useEffect, useState } from 'preact/hooks';
import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { Given } from '../../parts/panel.js';
import { get } from '../../state/api.js';
import { type BodyView, hexLines, viewBody } from '../../state/body-view.js';
import { errorText } from '../../state/notices.js';
import type { PageEvent } from '../../state/page-event.js';
import { useStore } from '../../state/use-store.js';
import type { Row } from './message-row.js';
import { type Place, storeOf } from './read-messages.js';
import { isDeadTab } from './tabs.js';
import { whyHere } from './why-here.js';

/** Its height in pixels: that of five rows. */
export const PEEK_HEIGHT = 160;
const MOST_BODY = 4000;

type History = { readonly events: readonly PageEvent[] };
type Found = { readonly message: RawMessageAnswer; readonly body: BodyView; readonly history: History };

export function Peek({ place, row }: { readonly place: Place; readonly row: Row }) {
  const store = useStore();
  const found = useFound(place, row);
  if (found === undefined) return null;
  if ('problem' in found) return <p class="t2 pad">{found.problem}</p>;
  const { message, body, history } = found;
  const isDead = isDeadTab(place.tab);
  const entity = store.entityAt(place.path);
  const { sentences } = whyHere({
    ...{ message, isDead, path: place.path, events: history.events },
    ...{ now: store.brokerNow.peek(), dueNow: store.dueNow(Date.now()) },
    maxDeliveryCount: entity?.kind === 'topic' ? undefined : entity?.maxDeliveryCount,
    topicStatus: entity?.kind === 'topic' ? entity.status : undefined,
  });
  return (
    <div class="peekin">
      <div>
        <h3>{isDead ? 'Why it is here' : 'Where it is'}</h3>
        <p>
          <Given text={sentences.join(' ')} most={800} />
        </p>
        {message.deadLetterErrorDescription === undefined ? null : (
          <p class="t3">
            <Given text={message.deadLetterErrorDescription} most={600} />
          </p>
        )}
      </div>
      <div>
        <h3>
          Body <span class="t3">{body.words}</span>
        </h3>
        <pre class="m">
          <Given text={textOf(body)} most={MOST_BODY} />
        </pre>
      </div>
    </div>
  );
}

function textOf({ tree, text, bytes }: BodyView): string {
  if (tree !== undefined) return JSON.stringify(tree.value, null, 1).replace(/\n\s*/g, ' ');
  return text ?? hexLines(bytes, 256).join('\n');
}

/** Reads the message and its history anew when its row has changed. */
function useFound(place: Place, row: Row): Found | { readonly problem: string } | undefined {
  const [found, setFound] = useState<Found | { readonly problem: string }>();
  const { sequenceNumber, state, deliveryCount } = row;
  useEffect(() => {
    const ending = new AbortController();
    const query = { entity: storeOf(place) };
    const read = async () => {
      const [message, history] = await Promise.all([
        get<RawMessageAnswer>(`messages/${sequenceNumber}`, query, ending.signal),
        get<History>('history', { ...query, sequenceNumber }, ending.signal),
      ]);
      setFound({ message, history, body: await viewBody(message) });
    };
    read().catch((error: unknown) => {
      if (!ending.signal.aborted) setFound({ problem: errorText(error) });
    });
    return () => ending.abort();
  }, [place.path, place.tab, sequenceNumber, state, deliveryCount]);
  return found;
}
