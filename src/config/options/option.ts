// An option as the table has it: its flag, its variables, its type, its default and its sentences.

/** A value as `jitney config` shows it; null: none. */
export type ShownValue = string | number | boolean | null;

/** The value commander makes of each kind of flag. */
export type GivenBy = {
  readonly text: string;
  /** A flag without a value, or a variable with one. */
  readonly switch: boolean;
  /** A repeated flag, or a variable with a comma-separated list. */
  readonly list: readonly string[];
  /** Has no flag. */
  readonly code: undefined;
};

/** Checks a value that `startEmulator` receives; it is not undefined. Throws a JitneyError for a wrong one. */
export type Check = (name: string, value: unknown) => void;

export type OptionType = {
  readonly given: keyof GivenBy;
  /** The type of the value in EmulatorOptions, as TypeScript. */
  readonly typescript: string;
  /** Throws a ValueError. */
  read?(given: GivenBy['text' | 'switch' | 'list']): unknown;
  /** The value when neither a flag, a variable nor the option's default gives one. */
  readonly missing: unknown;
  /** Default: every value is accepted. */
  readonly check?: Check;
  /** Default: the value itself. */
  show?(value: unknown): ShownValue;
};

export type Option = {
  /** As commander takes it. Missing: the command line does not have the option. */
  readonly flag?: string;
  /** The first one that is set counts. */
  readonly variables?: readonly string[];
  readonly type: OptionType;
  /** The name in Settings and EmulatorOptions, where the flag has another. */
  readonly setting?: string;
  /** Whether EmulatorOptions has the option. Default: it has. */
  readonly isInCode?: boolean;
  /** The control interface and the page show its value. Not for keys, nor for what they show in another place. */
  readonly isShown?: true;
  /** The default on the command line. Missing: the type's. */
  readonly default?: string | number | boolean;
  /** The default in words, where the value says too little. */
  readonly defaultText?: string;
  /** The default of `startEmulator`, where the command line has another. */
  readonly defaultInCode?: string | number;
  readonly defaultTextInCode?: string;
  readonly help?: string;
  /** The text of docs/options.md and of the doc comment in EmulatorOptions. */
  readonly docs: string;
};
