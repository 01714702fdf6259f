// A message opened within the list: why it is here, and its body. It has the height of some rows, so that the list stays exact.

import { useEffect, useState } from 'preact/hooks';
import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { Given } from '../../parts/panel.js';
import { get } from '../../state/api.js';
import { type BodyView, hexLines, viewBody } from '../../state/body-view.js';
import type { PageEvent } from '../../state/page-event.js';
import type { Row } from './message-row.js';
import { type Place, storeOf } from './read-messages.js';
import { isDeadTab } from './tabs.js';
import { whyHere } from './why-here.js';

/** Its height in rows. */
export const PEEK_ROWS = 5;
const MOST_BODY = 4000;
/** The properties in which receivers say why they abandon a message. */
const FAILURES = /^(failure|error|exception|reason|cause)$/i;

type History = { readonly events: readonly PageEvent[]; readonly isComplete: boolean };
type Looked = { readonly message: RawMessageAnswer; readonly body: BodyView; readonly history: History };

export function Peek({ place, row }: { readonly place: Place; readonly row: Row }) {
  const looked = useLook(place, row);
  if (looked === undefined) return null;
  if ('problem' in looked) return <p class="t2">{looked.problem}</p>;
  const { message, body, history } = looked;
  const { sentences, description } = whyHere(
    {
      ...{ path: place.path, isDead: isDeadTab(place.tab), state: message.state },
      ...{ deliveryCount: message.deliveryCount, reason: message.deadLetterReason },
      ...{ description: message.deadLetterErrorDescription, scheduledTime: message.scheduledTime },
      failure: failureOf(message),
    },
    history.events,
    history.isComplete,
  );
  return (
    <div class="peekin">
      <div>
        <h3>{isDeadTab(place.tab) ? 'Why it is here' : 'Where it is'}</h3>
        <p>
          <Given text={sentences.join(' ')} most={800} />
        </p>
        {description === undefined ? null : (
          <p class="t3">
            <Given text={description} most={600} />
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

function failureOf({ applicationProperties }: RawMessageAnswer): string | undefined {
  const [name, found] = Object.entries(applicationProperties).find(([one]) => FAILURES.test(one)) ?? [];
  return name === undefined || found === undefined ? undefined : `${name}=${JSON.stringify(found.value)}`;
}

/** Reads the message and its history anew when its row has changed. */
function useLook(place: Place, row: Row): Looked | { readonly problem: string } | undefined {
  const [looked, setLooked] = useState<Looked | { readonly problem: string }>();
  const { sequenceNumber, state, deliveryCount } = row;
  useEffect(() => {
    const ending = new AbortController();
    const query = { entity: storeOf(place) };
    const look = async () => {
      const [message, history] = await Promise.all([
        get<RawMessageAnswer>(`messages/${sequenceNumber}`, query, ending.signal),
        get<History>('history', { ...query, sequenceNumber }, ending.signal),
      ]);
      setLooked({ message, history, body: await viewBody(message) });
    };
    look().catch((error: unknown) => {
      if (!ending.signal.aborted)
        setLooked({ problem: error instanceof Error ? error.message : String(error) });
    });
    return () => ending.abort();
  }, [place.path, place.tab, sequenceNumber, state, deliveryCount]);
  return looked;
}
