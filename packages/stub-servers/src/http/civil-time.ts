// Own calendar arithmetic, because the time comes from an injected clock as ms since the epoch and
// nothing here may touch the global `Date`. Proleptic Gregorian calendar, UTC.

const MS_PER_DAY = 86_400_000;
const DAYS_PER_ERA = 146_097; // 400 years
const DAYS_TO_EPOCH = 719_468; // from 0000-03-01 to 1970-01-01

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const MONTHS: readonly string[] = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
];

interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

// Years are counted from March, so that the leap day is the last day of its year.
function civilDate(daysSinceEpoch: number): CivilDate {
  const days = daysSinceEpoch + DAYS_TO_EPOCH;
  const era = Math.floor(days / DAYS_PER_ERA);
  const dayOfEra = days - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

function daysSinceEpoch({ year, month, day }: CivilDate): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - DAYS_TO_EPOCH;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** Ms since the epoch as `2026-11-28T07:06:05.004Z`. */
export function isoTime(ms: number): string {
  const days = Math.floor(ms / MS_PER_DAY);
  const { year, month, day } = civilDate(days);
  const rest = Math.floor(ms - days * MS_PER_DAY);
  const clock = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60];
  const [hour = 0, minute = 0] = clock;
  const second = Math.floor(rest / 1_000) % 60;
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}T${digits(hour, 2)}:${digits(minute, 2)}:${digits(second, 2)}.${digits(rest % 1_000, 3)}Z`;
}

/** Ms since the epoch as HTTP writes it: `Sat, 28 Nov 2026 07:06:05 GMT`. */
export function httpTime(ms: number): string {
  const days = Math.floor(ms / MS_PER_DAY);
  const { year, month, day } = civilDate(days);
  const weekday = WEEKDAYS[(((days + 4) % 7) + 7) % 7] ?? '';
  return `${weekday}, ${digits(day, 2)} ${MONTHS[month - 1] ?? ''} ${digits(year, 4)} ${isoTime(ms).slice(11, 19)} GMT`;
}

interface CivilTime extends CivilDate {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

function epochMs(time: CivilTime): number | undefined {
  const inRange =
    time.month >= 1 &&
    time.month <= 12 &&
    time.day >= 1 &&
    time.day <= 31 &&
    time.hour < 24 &&
    time.minute < 60 &&
    time.second <= 60;
  if (!inRange) return undefined;
  return (
    daysSinceEpoch(time) * MS_PER_DAY +
    time.hour * 3_600_000 +
    time.minute * 60_000 +
    time.second * 1_000
  );
}

/** Ms since the epoch of `20261128T070605Z`, or `undefined` when it is not such a time. */
export function parseBasicIsoTime(text: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map(Number);
  return epochMs({ year, month, day, hour, minute, second });
}

/** Ms since the epoch of what {@link httpTime} writes, or `undefined` for anything else. */
export function parseHttpTime(text: string): number | undefined {
  const parts = /^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/.exec(
    text,
  );
  if (parts === null) return undefined;
  const month = MONTHS.indexOf(parts[2] ?? '') + 1;
  const [day = 0, , year = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  return epochMs({ year, month, day, hour, minute, second });
}
