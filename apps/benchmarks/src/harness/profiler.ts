import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { type CpuProfile, type ProfileSummary, summarizeProfile } from './profile-summary.ts';

const SAMPLE_MICROS = 200;

/** Profiles the CPU of the process that it runs in, between two points in time. */
export class Profiler {
  #session: Session | undefined;

  async start(): Promise<void> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
    await session.post('Profiler.start');
    this.#session = session;
  }

  /** @param file where the whole profile goes, for the developer tools of a browser */
  async stop(file: string | undefined): Promise<ProfileSummary> {
    if (this.#session === undefined) throw new Error('The profiler was not started');
    const { profile } = await this.#session.post('Profiler.stop');
    this.#session.disconnect();
    this.#session = undefined;
    if (file !== undefined) writeFileSync(file, JSON.stringify(profile));
    // Node's own type leaves out that samples are there when nothing turned them off.
    return summarizeProfile(profile as CpuProfile);
  }
}
