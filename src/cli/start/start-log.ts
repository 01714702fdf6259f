// The output of a start in the chosen format: its banner on stdout, its failure on stderr, its log on stderr or in a file.

import type { Settings } from '../../config/settings.js';
import { type ErrorReport, formatReport, stackOf } from '../output/error-report.js';
import { LogFile } from '../output/log-file.js';
import { jsonLines, type LineFormat, prettyLine, timedLines } from '../output/log-line.js';
import { createLog, type Log, type Write } from '../output/output.js';
import { type BannerFacts, formatBanner, readyLine, startDetails } from './banner.js';

type Streams = { readonly stdout: Write; readonly stderr: Write };
type LogSettings = Pick<Settings, 'logLevel' | 'logFormat' | 'logFile'>;

export class StartLog {
  readonly log: Log;
  readonly #isJson: boolean;
  readonly #streams: Streams;
  readonly #file: LogFile | undefined;
  /** The form of a line on the streams, and in the file. */
  readonly #format: LineFormat;
  readonly #fileFormat: LineFormat;

  /** Throws a JitneyError if the file cannot be written. */
  constructor({ logLevel, logFormat, logFile }: LogSettings, streams: Streams) {
    this.#isJson = logFormat === 'json';
    this.#streams = streams;
    this.#format = this.#isJson ? jsonLines() : prettyLine;
    this.#fileFormat = this.#isJson ? this.#format : timedLines();
    const onStream = createLog(logLevel, streams.stderr, this.#format);
    if (logFile === undefined) {
      this.log = onStream;
      return;
    }
    const file = new LogFile(logFile, (reason) =>
      onStream.error(`The log file ${logFile} cannot be written, so lines may be missing in it: ${reason}`),
    );
    const inFile = createLog(logLevel, (text) => file.write(text), this.#fileFormat);
    const error: Log['error'] = (text, details) => {
      onStream.error(text, details);
      inFile.error(text, details);
    };
    this.#file = file;
    this.log = { ...inFile, error };
  }

  /** Says that the emulator is up. The banner is not a line of the log, so it is written at any level. */
  started(facts: BannerFacts): void {
    const ready = readyLine(facts);
    const details = startDetails(facts);
    this.#streams.stdout(this.#isJson ? this.#format('info', ready, details) : formatBanner(facts));
    if (this.#file === undefined) return;
    this.log.info(
      this.#isJson ? ready : `${ready} jitney ${details.version}, ${details.serviceBus}`,
      details,
    );
  }

  failed(report: ErrorReport, error: unknown): void {
    const { code, message, help } = report;
    const stack = this.log.isDebug ? stackOf(error) : undefined;
    const details = { kind: 'failed', code, help, stack };
    this.#streams.stderr(
      this.#isJson ? this.#format('error', message, details) : formatReport(report, error, this.log.isDebug),
    );
    const text = this.#isJson ? message : [`${code} ${message}`, ...help].join('; ');
    this.#file?.write(this.#fileFormat('error', text, details));
  }

  close(): void {
    this.#file?.close();
  }
}
