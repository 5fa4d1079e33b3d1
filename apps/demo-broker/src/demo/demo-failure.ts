/** Something that the demo claims did not hold. */
export class DemoFailure extends Error {
  readonly code = 'LOGLOFT_DEMO_FAILED';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DemoFailure';
  }
}
