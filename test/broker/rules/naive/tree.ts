// Expressions as the random tests make them, in words of their own: nothing here is shared with the broker.

export type NaiveValue =
  | { readonly type: 'null' }
  | { readonly type: 'int'; readonly int: bigint }
  | { readonly type: 'double'; readonly double: number }
  | { readonly type: 'string'; readonly string: string }
  | { readonly type: 'bool'; readonly bool: boolean }
  | { readonly type: 'uuid'; readonly text: string }
  | { readonly type: 'time'; readonly ms: number }
  | { readonly type: 'binary' };

export type Property = { readonly isSystem: boolean; readonly name: string };

export type ValueTree =
  | { readonly tag: 'literal'; readonly value: NaiveValue }
  | { readonly tag: 'parameter'; readonly name: string }
  | { readonly tag: 'property'; readonly property: Property }
  | { readonly tag: 'newid' }
  | { readonly tag: 'property()'; readonly argument: ValueTree }
  | { readonly tag: 'unary'; readonly sign: '+' | '-'; readonly of: ValueTree }
  | {
      readonly tag: 'binary';
      readonly operator: '+' | '-' | '*' | '/' | '%';
      readonly left: ValueTree;
      readonly right: ValueTree;
    };

export type ConditionTree =
  | { readonly tag: 'and' | 'or'; readonly parts: readonly ConditionTree[] }
  | { readonly tag: 'not'; readonly of: ConditionTree }
  | { readonly tag: 'exists'; readonly property: Property }
  | { readonly tag: 'is null'; readonly property: Property; readonly isNot: boolean }
  | {
      readonly tag: 'compare';
      readonly operator: '=' | '<>' | '!=' | '<' | '<=' | '>' | '>=';
      readonly left: ValueTree;
      readonly right: ValueTree;
    }
  | {
      readonly tag: 'in';
      readonly of: ValueTree;
      readonly list: readonly ValueTree[];
      readonly isNot: boolean;
    }
  | {
      readonly tag: 'like';
      readonly of: ValueTree;
      readonly pattern: ValueTree;
      readonly escapedBy: ValueTree | undefined;
      readonly isNot: boolean;
    }
  | { readonly tag: 'value'; readonly of: ValueTree };

export type NaiveMessage = {
  /** By their canonical names; what is not set is not there. */
  readonly system: Readonly<Record<string, NaiveValue>>;
  readonly user: readonly (readonly [name: string, value: NaiveValue])[];
};

export type Outcome = 'true' | 'false' | 'unknown' | 'fails';
