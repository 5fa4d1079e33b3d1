import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BENCHES } from './benches/all.ts';
import type { BenchOptions } from './harness/bench.ts';
import { describeNoise, machineNoise } from './harness/noise.ts';
import { formatReport, reachesAim } from './harness/report.ts';
import { useScratchParent } from './harness/scratch.ts';

const USAGE = `usage: npm run bench [-- [options] B1 B6 ...]
  --smoke          a run of about a minute that shows that everything works
  --rounds N       rounds that count (default 5)
  --profile        B6, B7: say where the broker's CPU time goes
  --cpu-prof DIR   as --profile, and keep the .cpuprofile files
  --scratch DIR    where logs are written (default: the system's temporary directory)
  --strict         exit with code 1 when an aim is missed`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    smoke: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    profile: { type: 'boolean', default: false },
    'cpu-prof': { type: 'string' },
    scratch: { type: 'string' },
    strict: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else process.exitCode = await main();

async function main(): Promise<number> {
  const wanted = positionals.map((id) => id.toUpperCase());
  const unknown = wanted.find((id) => BENCHES.every((bench) => bench.id !== id));
  if (unknown !== undefined) {
    console.error(`There is no ${unknown}; there are ${BENCHES.map(({ id }) => id).join(', ')}.`);
    console.error(USAGE);
    return 2;
  }
  const options = benchOptions();
  if (values.scratch !== undefined) useScratchParent(resolve(values.scratch));
  console.log(`Node ${process.version}, ${describeNoise(machineNoise())}\n`);
  let missed = 0;
  for (const bench of BENCHES) {
    if (wanted.length > 0 && !wanted.includes(bench.id)) continue;
    const start = performance.now();
    const report = await bench.run(options);
    missed += report.rows.filter((row) => !reachesAim(row)).length;
    console.log(formatReport(report, !options.smoke));
    console.log(`  (${((performance.now() - start) / 1000).toFixed(1)} s)\n`);
  }
  console.log(describeNoise(machineNoise()));
  if (options.smoke) {
    console.log('everything ran; one round says too little to judge the aims');
    return 0;
  }
  console.log(missed === 0 ? 'all aims reached' : `${missed} aims missed`);
  return values.strict && missed > 0 ? 1 : 0;
}

function benchOptions(): BenchOptions {
  const directory = values['cpu-prof'];
  const profileDirectory = directory === undefined ? undefined : resolve(directory);
  if (profileDirectory !== undefined) mkdirSync(profileDirectory, { recursive: true });
  return {
    smoke: values.smoke,
    rounds: Number(values.rounds ?? (values.smoke ? 1 : 5)),
    profile: values.profile || profileDirectory !== undefined,
    profileDirectory,
  };
}
