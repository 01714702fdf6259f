// A choice of the last messages of a topic's subscriptions, one of which becomes the message that is tested.

import { useState } from 'preact/hooks';
import type {
  MessageAnswer,
  MessagesAnswer,
  RawMessageAnswer,
} from '../../../http/control/control-schemas.js';
import { get } from '../../state/api.js';
import { numberText, shortName, shownText } from '../../state/format.js';
import { sendableOf } from '../../state/sendable.js';
import { useStore } from '../../state/use-store.js';

const MOST_SUBSCRIPTIONS = 10;
const MOST_EACH = 5;

type Choice = { readonly path: string; readonly message: MessageAnswer };

export function TakeMessage({
  topic,
  onTake,
}: {
  readonly topic: string;
  readonly onTake: (json: string) => void;
}) {
  const { listed, notices } = useStore();
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const paths = listed.value.flatMap((one) =>
    one.kind === 'subscription' && one.topic === topic ? [one.path] : [],
  );
  const refresh = () =>
    notices.attempt(async () => {
      const places = paths.slice(0, MOST_SUBSCRIPTIONS).flatMap((path) => [path, `${path}/$DeadLetterQueue`]);
      const found = places.map(async (path) => {
        const query = { entity: path, order: 'newest', limit: MOST_EACH };
        const { messages } = await get<MessagesAnswer>('messages', query);
        return messages.map((message) => ({ path, message }));
      });
      setChoices((await Promise.all(found)).flat());
    });
  const take = (index: number) =>
    notices.attempt(async () => {
      const choice = choices[index];
      if (choice === undefined) return;
      const { path, message } = choice;
      const stored = await get<RawMessageAnswer>(`messages/${message.sequenceNumber}`, { entity: path });
      onTake(JSON.stringify(sendableOf(stored).message, null, 2));
    });
  return (
    <select
      aria-label="Take a message of the topic"
      value=""
      onFocus={refresh}
      onChange={(event) => take(Number(event.currentTarget.value))}
    >
      <option value="">Take a message…</option>
      {choices.map(({ path, message }, index) => (
        <option key={`${path} ${message.sequenceNumber}`} value={index}>
          {`${shortName(path.replace(/\/\$DeadLetterQueue$/, ''))} #${numberText(message.sequenceNumber)} ${shownText(message.subject ?? message.messageId ?? '', 40)}`}
        </option>
      ))}
    </select>
  );
}
