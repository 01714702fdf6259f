// The rules of a subscription as SQL, with the acts on them.

import { useState } from 'preact/hooks';
import type { RuleAnswer, RulesAnswer } from '../../../http/control/entity-schemas.js';
import { Confirm } from '../../parts/dialog.js';
import { Heads } from '../../parts/heads.js';
import { Icon } from '../../parts/icon.js';
import { Empty, Given, Panel } from '../../parts/panel.js';
import { change, pathOf } from '../../state/api.js';
import { dateTimeText, shownText } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import { usePolled } from '../../state/use-polled.js';
import { useStore } from '../../state/use-store.js';
import { RuleForm } from './rule-form.js';

const EACH_MS = 5000;

type Open = { readonly kind: 'add' } | { readonly kind: 'change' | 'remove'; readonly rule: RuleAnswer };

export function RulesPanel({ path, topic }: { readonly path: string; readonly topic: string }) {
  const { isReadOnly } = useStore();
  const query = pathOf('rules', { entity: path });
  const { value, refresh } = usePolled<RulesAnswer>(query, { every: EACH_MS });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const rules = value?.rules ?? [];
  const catchAll = rules.length < 2 ? undefined : rules.find(({ filter }) => filter.type === 'true');
  return (
    <Panel
      title="Rules"
      acts={
        <>
          <a class="btn sm" href={hrefOf({ screen: 'rules', topic })}>
            Test them
          </a>
          {isReadOnly.value ? null : (
            <button type="button" class="sm" onClick={() => setOpen({ kind: 'add' })}>
              New rule…
            </button>
          )}
        </>
      }
    >
      {value?.rules.length === 0 ? (
        <Empty title="No rules.">Without one, no message reaches this subscription.</Empty>
      ) : (
        <Table rules={rules} onOpen={isReadOnly.value ? undefined : setOpen} />
      )}
      {catchAll === undefined ? null : (
        <p class="note">
          <Icon name="warning" />
          <span>
            {shownText(catchAll.name, 60)} takes every message, so the other rules keep none away.{' '}
            {isReadOnly.value ? null : (
              <button type="button" class="sm" onClick={() => setOpen({ kind: 'remove', rule: catchAll })}>
                Remove {shownText(catchAll.name, 60)}…
              </button>
            )}
          </span>
        </p>
      )}
      {open?.kind === 'add' ? <RuleForm path={path} onSaved={refresh} onClose={close} /> : null}
      {open?.kind === 'change' ? (
        <RuleForm path={path} rule={open.rule} onSaved={refresh} onClose={close} />
      ) : null}
      {open?.kind === 'remove' ? (
        <RemoveRule path={path} name={open.rule.name} onRemoved={refresh} onClose={close} />
      ) : null}
    </Panel>
  );
}

type TableProps = {
  readonly rules: readonly RuleAnswer[];
  /** Undefined: nothing can be changed. */
  readonly onOpen: ((open: Open) => void) | undefined;
};

function Table({ rules, onOpen }: TableProps) {
  return (
    <table class="cards">
      <caption class="vh">Rules</caption>
      <Heads names={['Rule', 'Filter', 'Action', 'Created']} act="Act" />
      <tbody>
        {rules.map((rule) => (
          <tr key={rule.name}>
            <th scope="row">
              <Given text={rule.name} most={60} />
            </th>
            <td data-label="Filter" class="m">
              <Given text={rule.filter.text} most={400} />
            </td>
            <td data-label="Action" class="m">
              {rule.action === undefined ? '–' : <Given text={rule.action} most={400} />}
            </td>
            <td data-label="Created">{dateTimeText(rule.createdTime)}</td>
            {onOpen === undefined ? null : (
              <td data-label="Act">
                <button type="button" class="sm" onClick={() => onOpen({ kind: 'change', rule })}>
                  Edit…
                </button>{' '}
                <button type="button" class="sm bad" onClick={() => onOpen({ kind: 'remove', rule })}>
                  Remove…
                </button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type RemoveProps = {
  readonly path: string;
  readonly name: string;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
};

export function RemoveRule({ path, name, onRemoved, onClose }: RemoveProps) {
  const { notices } = useStore();
  const remove = () =>
    notices.attempt(async () => {
      await change('DELETE', 'rules', { entity: path, rule: name });
      notices.show(`The rule '${shownText(name, 60)}' is removed.`);
      onRemoved();
    });
  return (
    <Confirm
      title={`Remove the rule '${shownText(name, 60)}'?`}
      act="Remove"
      onConfirm={remove}
      onClose={onClose}
    >
      Messages that it alone takes will not reach this subscription. Those that are there stay.
    </Confirm>
  );
}
