/** Blocks of npm's commands, which the site shows for other package managers too. */

const BLOCK = /^```sh\b[^\n]*\n((?:(?!```).*\n)*)```$/gm

type Rule = readonly [from: RegExp, to: string]

/** How other package managers write npm's commands. The first rule that fits counts. */
const MANAGERS: Readonly<Record<string, readonly Rule[]>> = {
  npm: [],
  pnpm: [
    [/\bnpm create (.*?) -- /, 'pnpm create $1 '],
    [/\bnpm install (?=\S)/, 'pnpm add '],
    [/\bnpx /, 'pnpm exec '],
    [/\bnpm /, 'pnpm '],
  ],
  yarn: [
    [/\bnpm create (.*?) -- /, 'yarn create $1 '],
    [/\bnpm install (?=\S)/, 'yarn add '],
    [/\bnpx /, 'yarn '],
    [/\bnpm /, 'yarn '],
  ],
  bun: [
    [/\bnpm create (.*?) -- /, 'bun create $1 '],
    [/\bnpm install (?=\S)/, 'bun add '],
    [/\bnpm test\b/, 'bun run test'],
    [/\bnpx /, 'bunx '],
    [/\bnpm /, 'bun '],
  ],
}

/** Returns a page whose blocks that create a project or install packages have a tab for each package manager. */
export function withPackageManagers(text: string): string {
  return text.replaceAll(BLOCK, (block, code: string) => {
    if (!/^(?:\$ )?npm (?:create|install)\b/.test(code) || !/\bnpm create|\bnpm install [\w@]/.test(code)) return block
    const tabs = Object.entries(MANAGERS).map(([name, rules]) => {
      const lines = code.split('\n').map((line) => translated(line, rules))
      return `\`\`\`sh [${name}]\n${lines.join('\n')}\`\`\``
    })
    return `::: code-group\n\n${tabs.join('\n\n')}\n\n:::`
  })
}

/** Translates each command of a line. */
function translated(line: string, rules: readonly Rule[]): string {
  return line
    .split(/( && )/)
    .map((command) => {
      const rule = rules.find(([from]) => from.test(command))
      return rule === undefined ? command : command.replace(...rule)
    })
    .join('')
}
