import { join } from 'node:path';
import { BrokerProcess } from '../harness/broker-process.ts';
import { type CheckRun, runChecks } from '../harness/run-checks.ts';
import { hasCommand } from '../harness/run-command.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { writeTextLines } from '../harness/text-lines.ts';
import { tieringProperties } from '../harness/tiering-properties.ts';
import { CODECS, checkCodecRoundTrip } from './codec-round-trip.ts';
import { checkListing } from './listing.ts';
import { checkSmallThings } from './small-things.ts';

const LINES = 200_000;

await runChecks('e2e:kcat: Debian’s kcat against the command, through both tiers', async (run) => {
  if (await hasCommand('kcat', ['-V'])) await checkKcat(run);
  else run.checks.skip('all', 'kcat is not installed; on Debian: apt-get install kcat');
});

async function checkKcat({ checks, cleanup }: CheckRun): Promise<void> {
  const directory = await temporaryDirectory(cleanup);
  const input = join(directory, 'lines.txt');
  const inputBytes = await writeTextLines(input, LINES);
  checks.note(`${LINES} lines, ${inputBytes} bytes of text of the installed dependencies`);
  const broker = await BrokerProcess.start(
    {
      dataDirectory: join(directory, 'data'),
      // By size, not by time: so the active segment stays on the local disk with what is in it, and
      // a consumer from the beginning goes from one tier to the other.
      properties: tieringProperties({
        'log.local.retention.ms': '-2',
        'log.local.retention.bytes': '1',
      }),
    },
    cleanup,
  );
  const scene = { broker, checks, directory, input, lines: LINES };
  for (const codec of CODECS) await checkCodecRoundTrip(scene, codec);
  await checkListing(scene);
  await checkSmallThings(scene);
  await checks.check('the broker logged no warning and no error', () => {
    const grave = broker.log.filter(({ level }) => level === 'warn' || level === 'error');
    if (grave.length > 0) throw new Error(grave.map((line) => JSON.stringify(line)).join('\n'));
    return `${broker.log.length} lines`;
  });
  await checks.check('Ctrl-C ends the broker with exit code 0', () => broker.stop());
}
