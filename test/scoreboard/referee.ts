/** Referees: test cases and tools of other projects that judge this one. */

/** One case: an input and the outcomes that the referee allows. */
export interface Case<Input> {
  /** Description, unique among the cases of a referee. */
  readonly name: string
  readonly input: Input
  readonly allowed: readonly string[]
  /** Outcomes of which the referee warns, because they are lenient. */
  readonly lenient?: readonly string[] | undefined
  /** Explanation of a different outcome, in one sentence. */
  readonly reason?: string | undefined
}

/** The outcome of a case. */
export interface Verdict extends Omit<Case<unknown>, 'input'> {
  readonly actual: string
}

export interface Referee {
  readonly name: string
  readonly version: string
  /** URL of the cases, or of the tool. */
  readonly source: string
  /** The part of this project that it judges. */
  readonly judges: string
  run(): Promise<readonly Verdict[]>
}

/** A referee whose cases are requests to the application in `site.ts`, so that it also judges other frameworks. */
export interface SiteReferee extends Referee {
  judge(port: number): Promise<readonly Verdict[]>
}

/** Runs cases one after the other. */
export async function judge<Input>(
  cases: readonly Case<Input>[],
  outcomeOf: (input: Input, allowed: readonly string[]) => string | Promise<string>,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const { input, ...rest } of cases) {
    verdicts.push({ ...rest, actual: await outcomeOf(input, rest.allowed) })
  }
  return verdicts
}

/** Returns true for an allowed outcome, lenient or not. */
export function isPassed(verdict: Verdict): boolean {
  return verdict.allowed.includes(verdict.actual) || isLenient(verdict)
}

/** Returns true for an outcome of which the referee only warns. */
export function isLenient({ lenient = [], actual }: Verdict): boolean {
  return lenient.includes(actual)
}

/** Returns what is wrong with the list of cases: failures without an explanation, and explanations without a failure. */
export function problemsOf(verdicts: readonly Verdict[]): string[] {
  const names = new Set<string>()
  return verdicts.flatMap((verdict) => {
    const { name, allowed, actual, reason } = verdict
    if (names.has(name)) return [`${name}: a second case of this name`]
    names.add(name)
    if (isPassed(verdict))
      return reason === undefined ? [] : [`${name}: passes, but has the reason ${reason}`]
    return reason === undefined ? [`${name}: expected ${allowed.join(' or ')}, found ${actual}`] : []
  })
}
