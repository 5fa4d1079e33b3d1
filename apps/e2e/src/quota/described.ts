import type { CheckRun } from '../harness/run-checks.ts';
import { ConfigAdmin, type ConfigDescription } from './config-admin.ts';
import type { MeteredBroker } from './metered-broker.ts';
import {
  READ_LIMIT,
  READ_SAMPLES,
  READ_WINDOW_SECONDS,
  WRITE_LIMIT,
  WRITE_SAMPLES,
  WRITE_WINDOW_SECONDS,
} from './names.ts';

const INT = 3;
const LONG = 5;
const DEFAULT_CONFIG = 5;
const UNLIMITED = '9223372036854775807';

interface ExpectedProperty {
  readonly name: string;
  readonly alias: string;
  readonly type: number;
  readonly defaultText: string;
  readonly readOnly: boolean;
}

/** The six properties of the draft: decisions 1 and 2, and the table of the design. */
const PROPERTIES: readonly ExpectedProperty[] = [
  property(WRITE_LIMIT, 'copy.max.bytes.per.second', UNLIMITED),
  property(WRITE_SAMPLES, 'copy.quota.window.num', '61'),
  property(WRITE_WINDOW_SECONDS, 'copy.quota.window.size.seconds', '1'),
  property(READ_LIMIT, 'fetch.max.bytes.per.second', UNLIMITED),
  property(READ_SAMPLES, 'fetch.quota.window.num', '11'),
  property(READ_WINDOW_SECONDS, 'fetch.quota.window.size.seconds', '1'),
];

function property(name: string, alias: string, defaultText: string): ExpectedProperty {
  const isLimit = defaultText === UNLIMITED;
  return {
    name,
    alias: `remote.log.manager.${alias}`,
    type: isLimit ? LONG : INT,
    defaultText,
    readOnly: !isLimit,
  };
}

/** What DescribeConfigs tells of the quotas, and that those which are static stay as they are. */
export async function checkDescribed(
  { checks, cleanup }: CheckRun,
  { broker }: MeteredBroker,
): Promise<void> {
  const admin = new ConfigAdmin(broker.bootstrap, cleanup);
  for (const expected of PROPERTIES) {
    await checks.check(`DescribeConfigs tells of ${expected.name}`, async () => {
      const [found] = await admin.describe([expected.name]);
      if (found === undefined) throw new Error('it does not');
      const wrong = differences(found, expected);
      if (wrong.length > 0) throw new Error(`${wrong.join(', ')}: ${JSON.stringify(found)}`);
      return `${found.value}, source ${found.configSource}, ${found.synonyms.length} synonyms`;
    });
  }
  for (const { name, alias } of PROPERTIES.filter(({ readOnly }) => readOnly)) {
    await checks.check(`altering ${name} is refused by name`, async () => {
      for (const [spelling, resource] of [
        [name, ''],
        [name, '0'],
        [alias, ''],
      ] as const) {
        const message = await refusal(() => admin.set(spelling, '7', resource));
        // Under whichever of its names it is altered, it is called by the draft's.
        if (!message.includes('INVALID_REQUEST') || !message.includes(name)) {
          throw new Error(`${spelling} on "${resource}": ${message}`);
        }
      }
      const [found] = await admin.describe([name]);
      if (found?.value === '7') throw new Error('it was changed all the same');
    });
  }
  await checks.check('a limit that is no number of bytes is refused', async () => {
    for (const value of ['0.5', 'fast', '-1', '0', '9223372036854775808']) {
      const message = await refusal(() => admin.set(WRITE_LIMIT, value));
      if (!message.includes('INVALID_CONFIG') || !message.includes(WRITE_LIMIT)) {
        throw new Error(`${value}: ${message}`);
      }
    }
  });
  await admin.close();
}

/** What is not as expected. */
function differences(found: ConfigDescription, expected: ExpectedProperty): readonly string[] {
  const { name, alias, type, readOnly, defaultText } = expected;
  const { synonyms } = found;
  const hasDefault = synonyms.some(
    (one) => one.name === name && one.value === defaultText && one.source === DEFAULT_CONFIG,
  );
  const expectations: readonly (readonly [holds: boolean, otherwise: string])[] = [
    [found.configType === type, `type ${found.configType}`],
    [found.readOnly === readOnly, `read-only ${found.readOnly}`],
    [(found.documentation ?? '') !== '', 'no documentation'],
    [synonyms.some((one) => one.name === alias), 'its alias is no synonym'],
    [hasDefault, 'its default is no synonym'],
  ];
  return expectations.flatMap(([holds, otherwise]) => (holds ? [] : [otherwise]));
}

/** What a call was refused with, causes included. @throws Error when it was not */
async function refusal(call: () => Promise<void>): Promise<string> {
  try {
    await call();
  } catch (error) {
    return flatten(error);
  }
  throw new Error('it was accepted');
}

function flatten(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors : [];
  const id = 'apiId' in error ? `${String(error.apiId)} ` : '';
  const server = 'serverErrorMessage' in error ? ` ${String(error.serverErrorMessage)}` : '';
  return [`${id}${error.message}${server}`, ...inner.map(flatten)].join('; ');
}
