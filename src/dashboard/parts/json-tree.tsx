// A JSON value as a tree whose branches open and close. Long lists show their first items.

import { useState } from 'preact/hooks';
import { shownText } from '../state/format.js';

const INDENT = '  ';
/** Branches below this depth begin closed. */
const OPEN_DEPTH = 3;
const MOST_ITEMS = 200;

type NodeProps = {
  readonly value: unknown;
  readonly depth: number;
  /** The key in its object. */
  readonly name?: string;
  readonly isLast: boolean;
};

export function JsonTree({ value }: { readonly value: unknown }) {
  return (
    <ul class="tree">
      <Node value={value} depth={0} isLast />
    </ul>
  );
}

function Node(props: NodeProps) {
  const { value } = props;
  return typeof value === 'object' && value !== null ? (
    <Branch {...props} value={value} />
  ) : (
    <Leaf {...props} />
  );
}

function Leaf({ value, depth, name, isLast }: NodeProps) {
  const isText = typeof value === 'string';
  return (
    <li>
      {INDENT.repeat(depth)}
      <span class="c" />
      <Key name={name} />
      <span class={isText ? 'v' : 'num'}>
        <bdi>{shownText(JSON.stringify(value) ?? 'undefined', 2000)}</bdi>
      </span>
      <span class="p">{isLast ? '' : ','}</span>
    </li>
  );
}

function Branch({ value, depth, name, isLast }: NodeProps & { readonly value: object }) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const [most, setMost] = useState(MOST_ITEMS);
  const isList = Array.isArray(value);
  const entries: [string, unknown][] = Object.entries(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const count = `${entries.length} ${isList ? 'items' : 'fields'}`;
  const head = (
    <>
      {INDENT.repeat(depth)}
      <button
        type="button"
        class="c"
        aria-expanded={isOpen}
        aria-label={count}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? '▾' : '▸'}
      </button>
      <Key name={name} />
    </>
  );
  if (!isOpen) {
    return (
      <li>
        {head}
        <span class="p">
          {open} {count} {close}
          {isLast ? '' : ','}
        </span>
      </li>
    );
  }
  return (
    <>
      <li>
        {head}
        <span class="p">{open}</span>
      </li>
      {entries.slice(0, most).map(([key, one], index) => (
        <Node
          key={key}
          value={one}
          depth={depth + 1}
          {...(isList ? {} : { name: key })}
          isLast={index === entries.length - 1}
        />
      ))}
      <More count={entries.length - most} depth={depth} onMore={() => setMost(most + MOST_ITEMS)} />
      <li>
        {INDENT.repeat(depth)}
        <span class="c" />
        <span class="p">
          {close}
          {isLast ? '' : ','}
        </span>
      </li>
    </>
  );
}

type MoreProps = { readonly count: number; readonly depth: number; readonly onMore: () => void };

function More({ count, depth, onMore }: MoreProps) {
  if (count <= 0) return null;
  return (
    <li>
      {INDENT.repeat(depth + 1)}
      <button type="button" class="flat sm" onClick={onMore}>
        {count} more
      </button>
    </li>
  );
}

function Key({ name }: { readonly name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <>
      <span class="k">
        <bdi>{shownText(JSON.stringify(name), 200)}</bdi>
      </span>
      <span class="p">: </span>
    </>
  );
}
