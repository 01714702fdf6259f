// A new message, or a stored one to be changed and sent again.

import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type {
  RawMessageAnswer,
  SentAnswer,
  TestedRulesAnswer,
} from '../../../http/control/control-schemas.js';
import { Icon } from '../../parts/icon.js';
import { Empty, Panel } from '../../parts/panel.js';
import { get, post } from '../../state/api.js';
import { destinationOf } from '../../state/destination.js';
import { numberText, spokenPath } from '../../state/format.js';
import { useKeys } from '../../state/keys.js';
import { errorText } from '../../state/notices.js';
import { go, guardLeaving, hrefOf, type Tab } from '../../state/route.js';
import type { SendableMessage } from '../../state/sendable.js';
import { useStore } from '../../state/use-store.js';
import { keepTestedMessage } from '../rules/tested-message.js';
import { BodyField } from './body-field.js';
import { type Draft, EMPTY_DRAFT, hasText, type Problems, readDraft } from './draft.js';
import { draftOfMessage } from './draft-of-message.js';
import { Destination, type DraftProps, described, Problem, TextFields, Times } from './fields.js';
import { MessagePicker } from './message-picker.js';
import { PropertyRows } from './property-rows.js';
import { fieldOfError } from './send-problem.js';
import { TemplateBar } from './template-bar.js';

type ComposeProps = { readonly path: string | undefined; readonly from: number | undefined };
type Sent = {
  readonly path: string;
  readonly numbers: readonly number[];
  readonly isScheduled: boolean;
  /** No rule of the topic took the first message, and it is gone. */
  readonly isUnmatched: boolean;
};

const NO_PROBLEMS: Problems = new Map();

export function ComposeScreen({ path, from }: ComposeProps) {
  const { isReadOnly } = useStore();
  const begun = useBegun(path, from);
  useKeys({ Escape: () => history.back() });
  if (isReadOnly.value) {
    return (
      <section aria-label="New message">
        <Empty title="This page is read-only.">Jitney was started with --ui read-only.</Empty>
      </section>
    );
  }
  const title = from === undefined ? 'New message' : 'Edit and resend';
  if (begun !== undefined && 'draft' in begun) return <Form title={title} begun={begun} />;
  return (
    <section aria-label="New message">
      <div class="head">
        <h1>{title}</h1>
      </div>
      {begun === undefined ? null : <Empty title="There is nothing to edit.">{begun.problem}</Empty>}
    </section>
  );
}

type FormProps = { readonly title: string; readonly begun: Begun };

function Form({ title, begun }: FormProps) {
  const [draft, setDraft] = useState(begun.draft);
  const [saved, setSaved] = useState(begun.draft);
  const { problems, sent, send, isSending, forget } = useSending(draft, () => setSaved(draft));
  useGuard(hasText(draft, saved));
  const set = (next: Partial<Draft>) => {
    forget(Object.keys(next));
    setDraft((before) => ({ ...before, ...next }));
  };
  const fields = { draft, problems, onChange: set };
  const isOne = draft.count.trim() === '1';
  return (
    <section aria-label="New message">
      <form
        class="compose"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div class="head stays">
          <h1>{title}</h1>
          <span class="facts el">{begun.note}</span>
          <span class="push" />
          <Problem problems={problems} name="form" />
          {problems.size > 0 || sent === undefined ? null : <SentNote sent={sent} />}
          <button type="submit" class="pri" disabled={isSending}>
            <Icon name="forward" />
            Send {isOne ? '' : `${draft.count} messages `}
          </button>
        </div>
        <DestinationRow {...fields} />
        <div class="composecols">
          <div class="stack">
            <BodyField {...fields} />
            <p class="t3">
              <code>{'{n}'}</code> in the body and the message id is the number of each message.
            </p>
            <PropertyRows {...fields} />
          </div>
          <Panel title="Properties">
            <div class="pad fieldgrid">
              <TextFields {...fields} />
              <Times {...fields} />
            </div>
          </Panel>
        </div>
      </form>
    </section>
  );
}

function DestinationRow(fields: DraftProps) {
  const { draft, problems, onChange } = fields;
  const [isPicking, setPicking] = useState(false);
  return (
    <div class="row destinationrow">
      <Destination {...fields} />
      <div class="labelled">
        <label for="field-count">Count</label>
        <input
          type="text"
          inputMode="numeric"
          class="short"
          {...described(problems, 'count')}
          value={draft.count}
          onInput={(event) => onChange({ count: event.currentTarget.value })}
        />
        <Problem problems={problems} name="count" />
      </div>
      <span class="push" />
      <button type="button" data-harmless onClick={() => setPicking(true)}>
        From a message…
      </button>
      <TemplateBar draft={draft} onLoad={onChange} />
      {isPicking ? <MessagePicker destination={draft.destination} onClose={() => setPicking(false)} /> : null}
    </div>
  );
}

/** Asks before a message that was begun is lost: on the page by a question, and by the browser when its tab is closed. */
function useGuard(isWritten: boolean): void {
  const { question } = useStore();
  // With the drawing, not a moment behind it: who reads 'Sent' and goes on at once is not asked.
  useLayoutEffect(() => {
    if (!isWritten) return;
    const release = guardLeaving((address) => {
      question.value = {
        title: 'Leave the message?',
        text: 'What you have written will be lost.',
        act: 'Leave',
        onConfirm: () => {
          release();
          location.hash = address;
        },
      };
    });
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => {
      release();
      removeEventListener('beforeunload', warn);
    };
  }, [isWritten]);
}

/** The fields that the form begins with, and where they are from. */
type Begun = { readonly draft: Draft; readonly note: string };
type Failed = { readonly problem: string };

/** The draft of the address: empty, or with what a message has; undefined while that is being read. */
function useBegun(path: string | undefined, from: number | undefined): Begun | Failed | undefined {
  const [begun, setBegun] = useState<Begun | Failed | undefined>(() =>
    path === undefined || from === undefined ? { draft: emptyDraft(path), note: '' } : undefined,
  );
  const { openedCount } = useStore();
  const opened = openedCount.value;
  useEffect(() => {
    // Nothing replaces what somebody may have changed.
    if (path === undefined || from === undefined || (begun !== undefined && 'draft' in begun)) return;
    const ending = new AbortController();
    get<RawMessageAnswer>(`messages/${from}`, { entity: path }, ending.signal).then(
      (stored) => setBegun(copyOf(stored, path)),
      (error: unknown) => {
        if (ending.signal.aborted) return;
        setBegun({ problem: errorText(error) });
      },
    );
    return () => ending.abort();
  }, [path, from, opened]);
  return begun;
}

function emptyDraft(path: string | undefined): Draft {
  const destination = path === undefined ? '' : destinationOf(path);
  return { ...EMPTY_DRAFT, destination, contentType: 'application/json' };
}

function copyOf(stored: RawMessageAnswer, path: string): Begun {
  const { draft, lost } = draftOfMessage(stored, path);
  const without = lost.length === 0 ? '' : ` Not copied: ${lost.slice(0, 3).join('; ')}.`;
  const name = `#${numberText(stored.sequenceNumber)} of ${spokenPath(path)}`;
  return { draft, note: `A copy of ${name}, which stays as it is.${without}` };
}

type Sending = {
  readonly problems: Problems;
  readonly sent: Sent | undefined;
  readonly isSending: boolean;
  readonly send: () => void;
  /** Removes the problems of fields that change. */
  readonly forget: (fields: readonly string[]) => void;
};

/** `done` is called when the message is sent. */
function useSending(draft: Draft, done: () => void): Sending {
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const [sent, setSent] = useState<Sent>();
  const [isSending, setSending] = useState(false);
  const store = useStore();
  const send = async () => {
    const read = readDraft(draft, Date.now());
    setProblems(read.problems);
    if (read.problems.size > 0 || isSending) return;
    setSending(true);
    const path = draft.destination.trim();
    try {
      const body = read.messages.length === 1 ? read.messages[0] : read.messages;
      const { sequenceNumbers } = await post<SentAnswer>('messages', { entity: path }, body);
      const isScheduled = draft.when !== 'now';
      const isUnmatched =
        !isScheduled && store.entityAt(path)?.kind === 'topic' && !(await isTaken(path, read.messages[0]));
      setSent({ path, numbers: sequenceNumbers, isScheduled, isUnmatched });
      done();
    } catch (error) {
      const field = fieldOfError(error, draft.properties) ?? 'form';
      setProblems(new Map([[field, errorText(error)]]));
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

/** Asks the rules of the topic. The tester begins with a message that none of them takes. */
async function isTaken(topic: string, message: SendableMessage | undefined): Promise<boolean> {
  const nothing: TestedRulesAnswer | undefined = undefined;
  const tested = await post<TestedRulesAnswer>('rules:test', { entity: topic }, message).catch(() => nothing);
  // The message is sent, whatever the tester says.
  if (tested === undefined) return true;
  if (tested.rules.some(({ outcome }) => outcome !== 'not-matched')) return true;
  keepTestedMessage(JSON.stringify(message, null, 2));
  return false;
}

/** The numbers, with a link to where the messages are. */
function SentNote({ sent: { path, numbers, isScheduled, isUnmatched } }: { readonly sent: Sent }) {
  const store = useStore();
  const [first = 0] = numbers;
  const last = numbers.at(-1) ?? first;
  const entity = store.entityAt(path);
  const isTopic = entity?.kind === 'topic';
  const tab: Tab = isScheduled ? 'scheduled' : isTopic ? 'subscriptions' : 'active';
  const text =
    numbers.length === 1
      ? `#${numberText(first)}`
      : `${numberText(numbers.length)}, #${numberText(first)} to #${numberText(last)}`;
  const canOpen = numbers.length === 1 && !(isTopic && !isScheduled);
  const to = canOpen
    ? hrefOf({ screen: 'message', path, tab, sequenceNumber: first })
    : hrefOf({ screen: 'entity', path, tab, filter: '' });
  return (
    <span class="result" role="status">
      <Icon name={isUnmatched ? 'warning' : 'check'} />
      <span>
        {isScheduled ? 'Scheduled' : 'Sent'} {text}
        {isUnmatched ? (
          <>
            : no subscription took {numbers.length === 1 ? 'it' : 'them'}, because none of their rules
            matches.{' '}
            <a class="acc" href={hrefOf({ screen: 'rules', topic: path })}>
              Test the rules with it
            </a>
          </>
        ) : null}
      </span>
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
