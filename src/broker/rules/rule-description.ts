// Rules as they are given, shown and stored: plain data that JSON keeps exactly.

/** Keys as given, with their `@`. */
export type RuleParameters = Readonly<Record<string, ParameterValue>>;

export type ParameterValue =
  | string
  | boolean
  /** In decimal digits, for 64 bits are more than a number of JSON keeps. Both compare alike. */
  | { readonly type: 'int' | 'long'; readonly value: string }
  /** As JavaScript writes it: JSON has neither infinity nor NaN. */
  | { readonly type: 'double'; readonly value: string }
  /** In milliseconds since 1970; `text`: as its client has written it, to be shown again. */
  | { readonly type: 'timestamp'; readonly value: number; readonly text?: string }
  /** ISO 8601, as `P1DT2H`; equal to .NET's time spans in application properties. */
  | { readonly type: 'duration'; readonly value: string }
  /** 32 hexadecimal digits, with or without hyphens. */
  | { readonly type: 'uuid'; readonly value: string };

export type SqlExpression = {
  readonly kind: 'sql';
  readonly expression: string;
  readonly parameters?: RuleParameters;
};

/** COR-01: what is not named matches anything. */
export type CorrelationFilter = {
  readonly kind: 'correlation';
  readonly correlationId?: string;
  readonly messageId?: string;
  readonly to?: string;
  readonly replyTo?: string;
  readonly subject?: string;
  readonly sessionId?: string;
  readonly replyToSessionId?: string;
  readonly contentType?: string;
  readonly properties?: Readonly<Record<string, ParameterValue>>;
};

export type Filter =
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  | SqlExpression
  | CorrelationFilter;

export type Action = SqlExpression;

export type RuleDescription = {
  readonly name: string;
  readonly filter: Filter;
  readonly action: Action | undefined;
};

/** TOP-02: what a subscription has that is given no rule. */
export const DEFAULT_RULE: RuleDescription = {
  name: '$Default',
  filter: { kind: 'true' },
  action: undefined,
};
