/** A shorter key is a placeholder and occurs in any text. */
export const SHORTEST_SECRET = 8

/** Takes secrets out of a text: the given ones, and whatever looks like a key or a bearer token. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) if (secret.length >= SHORTEST_SECRET) clean = clean.replaceAll(secret, '[secret]')
  return clean
    .replace(/\bBearer\s+[^\s"']+/gi, 'Bearer [secret]')
    .replace(/\b(?:sk-|xai-|gsk_)[A-Za-z0-9*_.-]{6,}/g, '[secret]')
}

/** At most `length` characters of a text, on one line. */
export function excerpt(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= length ? line : `${line.slice(0, length)}…`
}
