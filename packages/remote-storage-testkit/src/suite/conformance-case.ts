/** One thing that must hold. */
export interface ConformanceCase<S> {
  /** The sentence. */
  readonly name: string;
  /** Why the case makes no sense for a subject; `undefined` when it does. */
  readonly skip?: ((subject: S) => string | undefined) | undefined;
  /** What must hold instead where it is skipped: a thing that cannot be done is refused. */
  readonly refusal?: ((subject: S) => Promise<void>) | undefined;
  readonly run: (subject: S) => Promise<void>;
}

/** Cases with a heading. */
export interface ConformanceGroup<S> {
  readonly name: string;
  readonly cases: readonly ConformanceCase<S>[];
}
