import type { BrokerProcess } from '../harness/broker-process.ts';
import type { CheckRun } from '../harness/run-checks.ts';
import { hasCommand, runCommand } from '../harness/run-command.ts';
import { PYTHON_PROGRAM } from './python-program.ts';

/** Debian's own has Debian's package; another one may have that of PyPI. */
const INTERPRETERS = ['/usr/bin/python3', 'python3'];

interface Outcome {
  readonly name: string;
  readonly error: string | null;
  readonly figures: string;
}

/** confluent-kafka, that is librdkafka, from Python: where it is installed. */
export async function checkPython({ checks }: CheckRun, broker: BrokerProcess): Promise<void> {
  const interpreter = await interpreterWithClient();
  if (interpreter === undefined) {
    checks.skip(
      'confluent-kafka',
      'no Python here has it; on Debian: apt-get install python3-confluent-kafka',
    );
    return;
  }
  const { stdout } = await runCommand(interpreter, ['-c', PYTHON_PROGRAM, broker.bootstrap], {
    timeoutMs: 90_000,
  });
  const outcomes = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome);
  for (const { name, error, figures } of outcomes) {
    await checks.check(`confluent-kafka: ${name}`, () => {
      if (error !== null) throw new Error(error);
      return figures;
    });
  }
  if (outcomes.at(-1)?.name !== 'all was run') throw new Error('the Python program ended early');
}

async function interpreterWithClient(): Promise<string | undefined> {
  for (const interpreter of INTERPRETERS) {
    if (await hasCommand(interpreter, ['-c', 'import confluent_kafka'])) return interpreter;
  }
  return undefined;
}
