// The acts on messages: one table for the list, the bar of the selection, the screen of a message and the sheet of keys.

import type { IconName } from '../../parts/icon.js';
import type { MessageTab } from './tabs.js';

export type ActName =
  | 'resubmit'
  | 'resend'
  | 'end-lock'
  | 'activate'
  | 'move'
  | 'dead-letter'
  | 'copy'
  | 'export'
  | 'delete';

export type Act = {
  readonly name: ActName;
  readonly label: string;
  readonly icon: IconName;
  readonly key?: string;
  /** The tabs whose messages it is for; undefined: all. */
  readonly tabs?: readonly MessageTab[];
  /** Whether it is for one message at a time. */
  readonly isForOne?: true;
  /** Whether it changes nothing, so that a read-only page has it, too. */
  readonly isHarmless?: true;
  /** When the page asks before it: always, for all that match, or for the destination. */
  readonly question?: 'always' | 'all' | 'destination';
  /** The call of the control interface, and what is sent with the selection. */
  readonly call?: string;
  readonly body?: object;
  /** The word for what goes on, and for what was done. */
  readonly doing: string;
  readonly done: string;
  /** Whether the message leaves its place. */
  readonly removes?: true;
};

const DEAD: readonly MessageTab[] = ['dead', 'transfer-dead'];

/** In the order in which they are shown. */
export const ACTS: readonly Act[] = [
  {
    ...{ name: 'resubmit', label: 'Resubmit', icon: 'undo', key: 'r', tabs: DEAD, question: 'all' },
    ...{ call: 'messages:resubmit', doing: 'Resubmitting', done: 'Resubmitted', removes: true },
  },
  {
    ...{ name: 'end-lock', label: 'End lock', icon: 'end', tabs: ['locked'], question: 'all' },
    ...{ call: 'locks:end', doing: 'Ending locks', done: 'Freed' },
  },
  {
    ...{ name: 'activate', label: 'Activate now', icon: 'active', tabs: ['scheduled', 'deferred'] },
    ...{ question: 'all', call: 'messages:activate', doing: 'Activating', done: 'Activated', removes: true },
  },
  {
    ...{ name: 'resend', label: 'Edit and resend', icon: 'edit', key: 'e', isForOne: true },
    ...{ doing: '', done: '' },
  },
  {
    ...{ name: 'move', label: 'Move…', icon: 'forward', key: 'm', question: 'destination' },
    ...{ call: 'messages:move', doing: 'Moving', done: 'Moved', removes: true },
  },
  {
    ...{ name: 'dead-letter', label: 'Dead-letter', icon: 'dead', tabs: ['active', 'locked', 'deferred'] },
    ...{ question: 'all', call: 'messages:dead-letter', doing: 'Dead-lettering', done: 'Dead-lettered' },
    body: { reason: 'ByHand', description: 'Dead-lettered in the page.' },
    removes: true,
  },
  {
    ...{ name: 'copy', label: 'Copy', icon: 'copy', key: 'y', isForOne: true, isHarmless: true },
    ...{ doing: 'Copying', done: 'Copied' },
  },
  {
    ...{ name: 'export', label: 'Export', icon: 'out', isHarmless: true },
    ...{ doing: 'Exporting', done: 'Exported' },
  },
  {
    ...{ name: 'delete', label: 'Delete', icon: 'close', key: 'd', question: 'always' },
    ...{ call: 'messages:delete', doing: 'Deleting', done: 'Deleted', removes: true },
  },
];

export function actOf(name: ActName): Act {
  const act = ACTS.find((each) => each.name === name);
  if (act === undefined) throw new Error(`there is no act '${name}'`);
  return act;
}

/** The acts for the messages of a tab. */
export function actsFor(tab: MessageTab, isReadOnly: boolean): readonly Act[] {
  return ACTS.filter(
    ({ tabs, isHarmless }) =>
      (tabs === undefined || tabs.includes(tab)) && (!isReadOnly || isHarmless === true),
  );
}

/** `Resubmit is for dead letters.`: what a key says where its act is not for. */
export function elsewhereText({ label, tabs = [] }: Act): string {
  const names = tabs.includes('dead') ? 'dead letters' : `${tabs.join(' and ')} messages`;
  return `${label} is for ${names}.`;
}
