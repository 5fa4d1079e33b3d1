import { ManualClock } from '@logloft/clock';
import { expect, it } from 'vitest';
import { drawnLines, Progress, type ProgressView, plainLine } from '../../src/demo/progress.ts';

function view(sent: number): ProgressView {
  const figures = (segments: number) => ({ segments, bytes: segments * 1024 });
  const partition = {
    partition: 0,
    records: 1,
    local: figures(2),
    both: figures(1),
    remote: figures(30),
    isTiered: false,
  };
  return { title: 'copying', partitions: [partition], footer: `sent ${sent}` };
}

function shown(isTerminal: boolean) {
  const clock = new ManualClock();
  const written: string[] = [];
  let sent = 0;
  const progress = new Progress({
    clock,
    screen: { isTerminal, columns: 100, write: (text) => written.push(text) },
    view: () => view(sent),
  });
  return {
    clock,
    written,
    progress,
    send: () => {
      sent += 1;
    },
  };
}

it('shows a bar of segments by place', () => {
  const lines = drawnLines(view(1), 200);
  expect(lines[1]).toContain(`${'░'.repeat(30)}▒██`);
  expect(lines[1]).toContain('local 2 (2.0 KiB)  both 1 (1.0 KiB)  remote 30 (30.0 KiB)');
  for (const line of drawnLines(view(1), 60)) expect(line.length).toBeLessThan(60);
});

it('writes one plain line at a time where there is no terminal, and none twice', () => {
  const { clock, written, progress, send } = shown(false);
  progress.start();
  clock.advance(10_000);
  send();
  clock.advance(2_000);
  progress.stop();
  expect(written).toEqual([`${plainLine(view(0))}\n`, `${plainLine(view(1))}\n`]);
  expect(written.join('')).not.toContain('\u001B');
});

it('redraws in place on a terminal, and keeps what is said above it', () => {
  const { clock, written, progress } = shown(true);
  progress.start();
  clock.advance(200);
  progress.say('raised');
  progress.stop();
  const said = written.indexOf('raised\n');
  expect(written[said - 1]).toBe('\u001B[4A\u001B[0J');
  expect(written[said + 1]).toContain('copying');
  clock.advance(10_000);
  expect(written.at(-1)).toContain('copying');
});
