import { homedir, userInfo } from 'node:os'
import { SHORTEST_SECRET } from '../gateway/redact.ts'
import { REPO } from '../paths.ts'

const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)/i
/** The same value with every text in it redacted; the keys of objects stay. */
export function redactTexts<T>(value: T, redact: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value, (_key, part) => (typeof part === 'string' ? redact(part) : part)))
}

/**
 * Returns a function that takes secrets and private paths out of a text before it is written: values of
 * environment variables that are named like a secret, the `extra` ones, the repository's and the user's folders.
 */
export function redactor(
  extra: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
): (text: string) => string {
  const secrets = Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, value]) => value ?? '')
  const replacements: [string, string][] = [
    ...[...extra, ...secrets]
      .filter(({ length }) => length >= SHORTEST_SECRET)
      .map((secret): [string, string] => [secret, '[secret]']),
    [REPO, '[rw30]'],
    ...(homedir() === '/' ? [] : [[homedir(), '[home]'] as [string, string]]),
  ]
  replacements.sort(([a], [b]) => b.length - a.length)
  const user = userInfo().username
  const homes = user === 'root' ? null : new RegExp(`/home/${user}\\b`, 'g')
  return (text) => {
    let clean = text
    for (const [secret, label] of replacements) if (clean.includes(secret)) clean = clean.replaceAll(secret, label)
    return homes ? clean.replace(homes, '[home]') : clean
  }
}
