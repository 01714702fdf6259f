// A new message, or a stored one to be changed and sent again.

import { useEffect, useState } from 'preact/hooks';
import type { RawMessageAnswer, SentAnswer } from '../../http/control/control-schemas.js';
import { Icon } from '../parts/icon.js';
import { Empty, Panel } from '../parts/panel.js';
import { get, post } from '../state/api.js';
import { numberText, spokenPath } from '../state/format.js';
import { useKeys } from '../state/keys.js';
import { entityAt } from '../state/model.js';
import { go, hrefOf, type Tab } from '../state/route.js';
import { sayError } from '../state/said.js';
import { isReadOnly } from '../state/settings.js';
import { BodyField } from './compose/body-field.js';
import { type Draft, EMPTY_DRAFT, type Problems, readDraft } from './compose/draft.js';
import { destinationOf, draftOfMessage } from './compose/draft-of-message.js';
import { Destination, described, Problem, TextFields, Times } from './compose/fields.js';
import { PropertyRows } from './compose/property-rows.js';
import { fieldOfError } from './compose/send-problem.js';
import { TemplateBar } from './compose/template-bar.js';

type ComposeProps = { readonly path: string | undefined; readonly from: number | undefined };
type Sent = { readonly path: string; readonly numbers: readonly number[]; readonly isScheduled: boolean };

const NO_PROBLEMS: Problems = new Map();

export function ComposeScreen({ path, from }: ComposeProps) {
  const { draft, change, note } = useDraft(path, from);
  const { problems, sent, send, isSending, forget } = useSending(draft);
  useKeys({ Escape: () => history.back() });
  if (isReadOnly.value) {
    return (
      <section aria-label="New message">
        <Empty title="This page only looks.">Jitney was started with --ui read-only.</Empty>
      </section>
    );
  }
  const set = (next: Partial<Draft>) => {
    forget(Object.keys(next));
    change(next);
  };
  const fields = { draft, problems, onChange: set };
  return (
    <section class="whole" aria-label="New message">
      <form
        class="compose"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div class="head">
          <h1>{from === undefined ? 'New message' : 'Edit and resend'}</h1>
          <span class="facts el">{note}</span>
          <span class="push" />
          <TemplateBar draft={draft} onLoad={(loaded) => set(loaded)} />
        </div>
        <div class="cols composecols">
          <div class="stack">
            <BodyField {...fields} />
            <PropertyRows {...fields} />
          </div>
          <Panel title="Properties">
            <div class="rows">
              <div class="pad fieldgrid">
                <Destination {...fields} />
                <TextFields {...fields} />
                <Times {...fields} />
              </div>
            </div>
          </Panel>
        </div>
        <SendBar {...fields} isSending={isSending} sent={sent} />
      </form>
    </section>
  );
}

type DraftState = {
  readonly draft: Draft;
  readonly change: (change: Partial<Draft>) => void;
  readonly note: string;
};

/** The draft of the address: empty, or with what a message has. */
function useDraft(path: string | undefined, from: number | undefined): DraftState {
  const [draft, setDraft] = useState<Draft>({
    ...EMPTY_DRAFT,
    destination: path === undefined ? '' : destinationOf(path),
    contentType: from === undefined ? 'application/json' : '',
  });
  const [note, setNote] = useState('');
  useEffect(() => {
    if (path === undefined || from === undefined) return;
    const ending = new AbortController();
    const name = `#${numberText(from)} of ${spokenPath(path)}`;
    get<RawMessageAnswer>(`messages/${from}`, { entity: path }, ending.signal).then(
      (stored) => {
        const { draft: copied, lost } = draftOfMessage(stored, path);
        setDraft(copied);
        const without = lost.length === 0 ? '' : ` Not copied: ${lost.slice(0, 3).join('; ')}.`;
        setNote(`A copy of ${name}, which stays as it is.${without}`);
      },
      (error: unknown) => {
        if (!ending.signal.aborted) sayError(error);
      },
    );
    return () => ending.abort();
  }, [path, from]);
  return { draft, note, change: (change) => setDraft((before) => ({ ...before, ...change })) };
}

type Sending = {
  readonly problems: Problems;
  readonly sent: Sent | undefined;
  readonly isSending: boolean;
  readonly send: () => void;
  /** Takes back what was said about fields that change. */
  readonly forget: (fields: readonly string[]) => void;
};

function useSending(draft: Draft): Sending {
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const [sent, setSent] = useState<Sent>();
  const [isSending, setSending] = useState(false);
  const send = async () => {
    const read = readDraft(draft, Date.now());
    setProblems(read.problems);
    if (read.problems.size > 0 || isSending) return;
    setSending(true);
    const path = draft.destination.trim();
    try {
      const body = read.messages.length === 1 ? read.messages[0] : read.messages;
      const { sequenceNumbers } = await post<SentAnswer>('messages', { entity: path }, body);
      setSent({ path, numbers: sequenceNumbers, isScheduled: draft.when !== 'now' });
    } catch (error) {
      const field = fieldOfError(error, draft.properties) ?? 'form';
      setProblems(new Map([[field, error instanceof Error ? error.message : String(error)]]));
    }
    setSending(false);
  };
  const forget = (fields: readonly string[]) => {
    const isOf = (name: string) =>
      name === 'form' ||
      fields.includes(name) ||
      (name.startsWith('property ') && fields.includes('properties')) ||
      (name === 'body' && fields.includes('bodyKind')) ||
      (name === 'time' && fields.includes('when'));
    setProblems((before) => new Map([...before].filter(([name]) => !isOf(name))));
  };
  return { problems, sent, isSending, send, forget };
}

type BarProps = {
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly isSending: boolean;
  readonly sent: Sent | undefined;
};

function SendBar({ draft, problems, onChange, isSending, sent }: BarProps) {
  const isOne = draft.count.trim() === '1';
  return (
    <div class="row sendbar">
      <button type="submit" class="pri" disabled={isSending}>
        <Icon name="accepted" />
        Send {isOne ? '' : `${draft.count} messages `}
        {draft.destination === '' ? '' : `to ${spokenPath(draft.destination)}`}
      </button>
      <label class="row">
        Count
        <input
          type="text"
          inputMode="numeric"
          class="short"
          {...described(problems, 'count')}
          value={draft.count}
          onInput={(event) => onChange({ count: event.currentTarget.value })}
        />
      </label>
      <span class="t3">
        <code>{'{n}'}</code> in the body and the message id is the number of each
      </span>
      <span class="push" />
      <Problem problems={problems} name="count" />
      <Problem problems={problems} name="form" />
      {problems.size > 0 || sent === undefined ? null : <SentNote sent={sent} />}
    </div>
  );
}

/** The numbers, with a link to where the messages are. */
function SentNote({ sent: { path, numbers, isScheduled } }: { readonly sent: Sent }) {
  const [first = 0] = numbers;
  const last = numbers.at(-1) ?? first;
  const entity = entityAt(path);
  const isTopic = entity?.kind === 'topic';
  const tab: Tab = isScheduled || isTopic ? 'scheduled' : 'active';
  const text =
    numbers.length === 1
      ? `#${numberText(first)}`
      : `${numberText(numbers.length)}, #${numberText(first)} to #${numberText(last)}`;
  const canOpen = numbers.length === 1 && !(isTopic && !isScheduled);
  const to = canOpen
    ? hrefOf({ screen: 'message', path, tab, sequenceNumber: first })
    : hrefOf({ screen: 'entity', path, tab, filter: '' });
  return (
    <span class="said" role="status">
      <Icon name="check" />
      {isScheduled ? 'Scheduled' : 'Sent'} {text}
      <button type="button" onClick={() => go({ screen: 'entity', path, tab, filter: '' })}>
        To {spokenPath(path)}
      </button>
      {canOpen ? (
        <a class="acc" href={to}>
          Open it
        </a>
      ) : null}
    </span>
  );
}
