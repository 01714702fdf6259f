// A rule that cannot be carried out on a message, through no fault of the sender: what then happens is TOP-09.

export class RuleEvaluationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RuleEvaluationError';
  }
}
