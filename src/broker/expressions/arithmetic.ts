// The arithmetic that SQL and selectors share. Integers differ in what a division by zero is, and are calculated by each.

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

export function calculateDoubles(operator: ArithmeticOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    default:
      return operator satisfies never;
  }
}
