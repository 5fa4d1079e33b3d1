import type { Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { AnswerAction } from './failure-action.ts';
import type { RequestHead } from './request-head.ts';
import type { RequestIdentity } from './request-log.ts';

/** What a stub server serves: the one thing in which S3 and Google Cloud Storage differ. */
export interface StubService {
  /** Names a request by its head alone. Never throws: what it does not know is `Unknown`. */
  identify(head: RequestHead): RequestIdentity;

  /**
   * Answers a request. What it keeps must be decided and published in one turn of the event loop,
   * after the body was read to its end.
   *
   * @throws RequestCutError when the request ended early; anything else is answered by
   *   {@link StubService.unexpected}
   */
  serve(exchange: Exchange, identity: RequestIdentity): Promise<Answer>;

  /** The answer to a request that a script wants to fail. */
  scriptedAnswer(action: AnswerAction, head: RequestHead): Answer;

  /** The answer when {@link StubService.serve} failed. */
  unexpected(error: unknown, head: RequestHead): Answer;

  /** Forgets the unfinished upload that a request names, if it names one that is there. */
  forgetUpload(head: RequestHead): void;
}
