/** What the names of all variables begin with. */
const ENVIRONMENT_PREFIX = 'LOGLOFT_';

const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['.', '_'],
  ['_', '__'],
  ['-', '___'],
]);

/**
 * The variable that sets a property: the prefix, upper case, `.` as `_`, `_` as `__`, `-` as `___`.
 * Properties with upper-case letters (some options of plugins) have none.
 */
export function variableOf(property: string): string {
  const name = property.replace(/[._-]/g, (character) => ESCAPED.get(character) ?? character);
  return `${ENVIRONMENT_PREFIX}${name.toUpperCase()}`;
}

/** The property that a variable sets, or `undefined` when its name does not begin with the prefix. */
export function propertyOf(variable: string): string | undefined {
  if (!variable.startsWith(ENVIRONMENT_PREFIX)) return undefined;
  const name = variable.slice(ENVIRONMENT_PREFIX.length).toLowerCase();
  return name.replace(/___|__|_/g, (run) => '._-'.charAt(run.length - 1));
}
