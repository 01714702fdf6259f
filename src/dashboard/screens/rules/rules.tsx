// The rules tester: a message against each rule of a topic, with the truth of each part, and what an action would change.

import { useEffect, useState } from 'preact/hooks';
import type { FilterPartAnswer, TestedRulesAnswer } from '../../../http/control/control-schemas.js';
import type { RuleAnswer, RulesAnswer } from '../../../http/control/entity-schemas.js';
import { Icon, type IconName } from '../../parts/icon.js';
import { Empty, Panel } from '../../parts/panel.js';
import { ApiError, get, post } from '../../state/api.js';
import { shownText } from '../../state/format.js';
import { go, hrefOf } from '../../state/route.js';
import { useStore } from '../../state/use-store.js';
import { RuleForm } from '../manage/rule-form.js';
import { RemoveRule } from '../manage/rules-panel.js';
import { MessagePanel } from './message-panel.js';
import { keepTestedMessage, testedMessage } from './tested-message.js';

type Tested = TestedRulesAnswer['rules'][number];

const EXAMPLE = JSON.stringify(
  { subject: 'order.placed', applicationProperties: { region: 'EU', total: 18.9 } },
  null,
  2,
);

export function RulesScreen({ topic: given }: { readonly topic: string | undefined }) {
  const { listed } = useStore();
  const topics = listed.value.filter((one) => one.kind === 'topic');
  const topic = given?.toLowerCase() ?? topics[0]?.path; // an address may be typed in any case (ENT-02)
  if (topic === undefined) {
    return (
      <section aria-label="Rules tester">
        <div class="head">
          <h1>Rules tester</h1>
        </div>
        <Empty title="There is no topic.">
          A start with <code>--topic events/audit+mail</code>, or New on the overview, makes one.
        </Empty>
      </section>
    );
  }
  return <Tester topic={topic} topics={topics.map(({ path }) => path)} />;
}

function Tester({ topic, topics }: { readonly topic: string; readonly topics: readonly string[] }) {
  const [text, setText] = useState(testedMessage() ?? EXAMPLE);
  const [filter, setFilter] = useState('');
  const [changeCount, setChangeCount] = useState(0);
  const { tested, problem } = useTest(topic, text, filter, changeCount);
  const onText = (next: string) => {
    setText(next);
    keepTestedMessage(next);
  };
  const onChanged = () => setChangeCount((count) => count + 1);
  const matched = tested?.filter(({ outcome }) => outcome === 'matched').length ?? 0;
  return (
    <section aria-label="Rules tester">
      <div class="head">
        <h1>Rules tester</h1>
        <span class="facts el">
          {tested === undefined ? '' : `${matched} of ${tested.length} rules match. Nothing is stored.`}
        </span>
        <span class="push" />
        <label class="row">
          Topic
          <select
            value={topic}
            onChange={(event) => go({ screen: 'rules', topic: event.currentTarget.value })}
          >
            {topics.map((path) => (
              <option key={path}>{path}</option>
            ))}
          </select>
        </label>
      </div>
      <div class="cols rulecols">
        <div class="stack">
          <MessagePanel topic={topic} text={text} problem={problem} onText={onText} />
          <OwnRule topic={topic} filter={filter} onFilter={setFilter} onSaved={onChanged} />
        </div>
        <div class="stack">
          {tested?.length === 0 ? (
            <Empty title={`${topic} has no rules.`}>Its subscriptions take nothing.</Empty>
          ) : null}
          {tested?.map((rule) => (
            <Rule
              key={`${rule.subscription}/${rule.rule}`}
              topic={topic}
              tested={rule}
              onChanged={onChanged}
            />
          ))}
        </div>
      </div>
    </section>
  );
}

const PAUSE_MS = 150;

/** Tests anew a moment after the last change, also of a rule. */
function useTest(
  topic: string,
  text: string,
  filter: string,
  changeCount: number,
): { tested: readonly Tested[] | undefined; problem: string | undefined } {
  const [tested, setTested] = useState<readonly Tested[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isOutdated = false;
    const timer = setTimeout(async () => {
      try {
        const message: unknown = JSON.parse(text);
        const query = { entity: topic, filter: filter.trim() === '' ? undefined : filter };
        const answer = await post<TestedRulesAnswer>('rules:test', query, message);
        if (isOutdated) return;
        setTested(answer.rules);
        setProblem(undefined);
      } catch (error) {
        if (!isOutdated) setProblem(problemOf(error));
      }
    }, PAUSE_MS);
    return () => {
      isOutdated = true;
      clearTimeout(timer);
    };
  }, [topic, text, filter, changeCount]);
  return { tested, problem };
}

function problemOf(error: unknown): string {
  if (error instanceof SyntaxError) return `This is no JSON: ${error.message}`;
  return error instanceof ApiError ? error.message : String(error);
}

type OwnProps = {
  readonly topic: string;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly onSaved: () => void;
};

/** A filter of one's own, which can become a rule. */
function OwnRule({ topic, filter, onFilter, onSaved }: OwnProps) {
  const { isReadOnly, listed, notices } = useStore();
  const subscriptions = listed.value.filter((one) => one.kind === 'subscription' && one.topic === topic);
  const [subscription, setSubscription] = useState('');
  const [name, setName] = useState('');
  const target = subscription === '' ? subscriptions[0]?.path : subscription;
  const save = () =>
    notices.attempt(async () => {
      await post('rules', { entity: target }, { name, filter });
      notices.show(`The rule '${name}' is there.`);
      setName('');
      onFilter('');
      onSaved();
    });
  return (
    <Panel title="A rule of your own" sub="tried with the others">
      <textarea
        class="ta"
        rows={3}
        spellcheck={false}
        aria-label="The filter in SQL"
        placeholder="region = 'EU' AND total > 10"
        value={filter}
        onInput={(event) => onFilter(event.currentTarget.value)}
      />
      {isReadOnly.value || target === undefined ? null : (
        <form
          class="row pad"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <input
            type="text"
            aria-label="Its name"
            placeholder="name"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <select
            aria-label="Subscription"
            value={target}
            onChange={(event) => setSubscription(event.currentTarget.value)}
          >
            {subscriptions.map(({ path }) => (
              <option key={path} value={path}>
                {path.slice(path.lastIndexOf('/') + 1)}
              </option>
            ))}
          </select>
          <button type="submit" disabled={name.trim() === '' || filter.trim() === ''}>
            Save as rule
          </button>
        </form>
      )}
    </Panel>
  );
}

const OUTCOMES: Readonly<Record<Tested['outcome'], readonly [tone: string, icon: IconName, text: string]>> = {
  matched: ['t', 'check', 'Matched'],
  'not-matched': ['f', 'close', 'Not matched'],
  error: ['x', 'warning', 'Error'],
};

type RuleProps = { readonly topic: string; readonly tested: Tested; readonly onChanged: () => void };

function Rule({ topic, tested, onChanged }: RuleProps) {
  const { subscription, rule, outcome, error, changes, filter } = tested;
  const [tone, icon, text] = OUTCOMES[outcome];
  const path = `${topic}/Subscriptions/${subscription}`;
  return (
    <section class="panel" aria-label={`Rule ${rule}`}>
      <header>
        <h2>{shownText(rule, 60)}</h2>
        <span class="sub">
          {subscription === '' ? (
            'not saved yet'
          ) : (
            <a class="acc" href={hrefOf({ screen: 'entity', path, tab: 'active', filter: '' })}>
              {subscription}
            </a>
          )}
        </span>
        <span class="push" />
        {subscription === '' ? null : <RuleActs path={path} name={rule} onChanged={onChanged} />}
        <span class={`tv ${tone}`}>
          <Icon name={icon} />
          {text}
        </span>
      </header>
      <table class="eval">
        <caption class="vh">The parts of the filter</caption>
        <thead class="vh">
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Truth</th>
            <th scope="col">Because</th>
          </tr>
        </thead>
        <tbody>
          <Part part={filter} depth={0} />
        </tbody>
      </table>
      {error === undefined ? null : (
        <p class="note">
          <Icon name="warning" /> {shownText(error.description)} A copy becomes a dead letter, if the
          subscription keeps those whose rules fail.
        </p>
      )}
      {changes === undefined ? null : <Changes changes={changes} />}
    </section>
  );
}

type ActsProps = { readonly path: string; readonly name: string; readonly onChanged: () => void };

function RuleActs({ path, name, onChanged }: ActsProps) {
  const { isReadOnly, notices } = useStore();
  const [open, setOpen] = useState<RuleAnswer | 'remove'>();
  if (isReadOnly.value) return null;
  const edit = () =>
    notices.attempt(async () => {
      const { rules } = await get<RulesAnswer>('rules', { entity: path });
      setOpen(rules.find((rule) => rule.name === name));
    });
  const close = () => setOpen(undefined);
  return (
    <>
      <button type="button" class="sm" onClick={edit}>
        Edit…
      </button>
      <button type="button" class="sm bad" onClick={() => setOpen('remove')}>
        Remove…
      </button>
      {open === 'remove' ? (
        <RemoveRule path={path} name={name} onRemoved={onChanged} onClose={close} />
      ) : null}
      {open === undefined || open === 'remove' ? null : (
        <RuleForm path={path} rule={open} onSaved={onChanged} onClose={close} />
      )}
    </>
  );
}

const TRUTHS: Readonly<Record<FilterPartAnswer['outcome'], readonly [tone: string, icon: IconName]>> = {
  true: ['t', 'check'],
  false: ['f', 'close'],
  unknown: ['u', 'unknown'],
  error: ['x', 'warning'],
  skipped: ['f', 'more'],
};

function Part({ part, depth }: { readonly part: FilterPartAnswer; readonly depth: number }) {
  const [tone, icon] = TRUTHS[part.outcome];
  return (
    <>
      <tr>
        <td>
          <span class="g">{'│ '.repeat(depth)}</span>
          <bdi>{shownText(part.text, 300)}</bdi>
        </td>
        <td>
          <span class={`tv ${tone}`}>
            <Icon name={icon} />
            {part.outcome}
          </span>
        </td>
        <td class="t2">
          <bdi>{shownText(part.because, 300)}</bdi>
        </td>
      </tr>
      {part.parts.map((one, index) => (
        <Part key={`${index} ${one.text}`} part={one} depth={depth + 1} />
      ))}
    </>
  );
}

function Changes({ changes }: { readonly changes: NonNullable<Tested['changes']> }) {
  const rows = [
    ...Object.entries(changes.properties).map(
      ([name, value]) => [name, value === null ? undefined : String(value)] as const,
    ),
    ...Object.entries(changes.applicationProperties).map(
      ([name, typed]) =>
        [name, typed === null ? undefined : `${JSON.stringify(typed.value)} (${typed.type})`] as const,
    ),
  ];
  return (
    <ul class="diff" aria-label="Changes of the action">
      {rows.map(([name, value]) => (
        <li key={name}>
          <span class={value === undefined ? 'd' : 'a'}>{value === undefined ? '−' : '+'}</span>
          <bdi>{shownText(name, 80)}</bdi>
          <span class="t3">{value === undefined ? 'removed' : 'set'}</span>
          <bdi>{shownText(value ?? '', 200)}</bdi>
        </li>
      ))}
    </ul>
  );
}
