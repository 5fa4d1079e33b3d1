const LEGAL = /^[a-zA-Z0-9._-]+$/;
const MAX_LENGTH = 249;

/**
 * Why a name cannot be a topic's, or `undefined` when it can: 1 to 249 characters of
 * `[a-zA-Z0-9._-]`, but neither `.` nor `..`. So no topic's directory can leave the log directory.
 */
export function topicNameProblem(name: string): string | undefined {
  if (name === '') return 'The topic name is empty.';
  if (name === '.' || name === '..') return `The topic name cannot be "${name}".`;
  if (name.length > MAX_LENGTH) {
    return `The topic name has ${name.length} characters; at most ${MAX_LENGTH} are allowed.`;
  }
  if (!LEGAL.test(name)) {
    return `The topic name ${JSON.stringify(name)} has characters other than letters, digits, ".", "_" and "-".`;
  }
  return undefined;
}

/**
 * A key under which names collide that differ only in `.` and `_`: Kafka's metric names replace one by
 * the other, and it refuses the second such topic.
 */
export function collisionKey(name: string): string {
  return name.replaceAll('.', '_');
}
