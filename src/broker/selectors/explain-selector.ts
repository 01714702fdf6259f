// Explains the result of a selector for a message: the truth of each part, and the values it was about.

import type { FilterPart } from '../contract/inspection.js';
import { ExpressionSource } from '../expressions/expression-source.js';
import { compileSelectorTest, readOperand, type SelectableMessage } from './compile-selector.js';
import { parseSelector } from './selector-parser.js';
import type { SelectorNode } from './selector-tree.js';
import type { SelectorValue } from './selector-values.js';

const MAX_TEXT = 100;

/** Throws argument for a selector that cannot be parsed. */
export function explainSelector(text: string, message: SelectableMessage): FilterPart {
  return explain(parseSelector(new ExpressionSource('selector', text)), text, message);
}

function explain(node: SelectorNode, selector: string, message: SelectableMessage): FilterPart {
  const truth = compileSelectorTest(node, { effort: undefined, readsProperties: false })(message);
  const own = {
    text: selector.slice(node.at, node.end),
    outcome: truth === undefined ? 'unknown' : truth ? 'true' : 'false',
  } as const;
  switch (node.kind) {
    case 'and':
    case 'or': {
      const decisive = String(node.kind === 'or');
      let isDecided = false;
      const parts = node.operands.map((operand): FilterPart => {
        if (isDecided) {
          const text = selector.slice(operand.at, operand.end);
          return { text, outcome: 'skipped', because: '', parts: [] };
        }
        const part = explain(operand, selector, message);
        isDecided = part.outcome === decisive;
        return part;
      });
      return { ...own, because: '', parts };
    }
    case 'not':
      return { ...own, because: '', parts: [explain(node.operand, selector, message)] };
    default: {
      const names = new Set(namesIn(node));
      const seen = [...names].map((name) => `${name} is ${shown(readOperand(name, message))}`);
      return { ...own, because: seen.join(', '), parts: [] };
    }
  }
}

function namesIn(node: SelectorNode): readonly string[] {
  switch (node.kind) {
    case 'literal':
      return [];
    case 'name':
      return [node.name];
    case 'comparison':
    case 'arithmetic':
      return [node.left, node.right].flatMap(namesIn);
    case 'between':
      return [node.operand, node.least, node.most].flatMap(namesIn);
    case 'and':
    case 'or':
      return node.operands.flatMap(namesIn);
    default:
      return namesIn(node.operand);
  }
}

/** A selector does not tell null from what is missing. */
function shown(value: SelectorValue): string {
  if (value === null) return 'missing';
  if (typeof value !== 'string') return String(value);
  return `'${value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value}'`;
}
