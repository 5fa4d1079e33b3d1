import { runChecks } from '../harness/run-checks.ts';
import { checkDescribed } from './described.ts';
import { checkLiveChange } from './live-change.ts';
import { checkPacedBound } from './paced-bound.ts';
import { checkReadQuota } from './read-quota.ts';
import { checkWindowedBound } from './windowed-bound.ts';

const MEBIBYTE = 1024 * 1024;

await runChecks('e2e:quota: both quotas, measured at the store', async (run) => {
  const metered = await checkLiveChange(run);
  await checkDescribed(run, metered);
  await metered.broker.kill();
  await checkReadQuota(run);
  await checkWindowedBound(run, { scope: 'broker', exhausted: 'abort' });
  await checkWindowedBound(run, { scope: 'broker', exhausted: 'wait' });
  await checkWindowedBound(run, { scope: 'writer', exhausted: 'abort' });
  await checkPacedBound(run, MEBIBYTE);
  await checkPacedBound(run, 2 * MEBIBYTE);
});
