import { parseArgs } from 'node:util'
import userConfig from '../../rw30.config.ts'
import { resolveConfig } from '../config.ts'
import { type HostDefinitions, hostDefinition, mergeHosts } from './definition.ts'
import { installHost, writeLock } from './install.ts'
import { hostPrefix } from './prefix.ts'

const USAGE = `npm run hosts -- [NAME… | --used] [--missing | --force | --check | --list | --relock]

  installs the named agent hosts, or all of them, each in a prefix of its own (the only command here that installs)
  --used     only those that the arms of rw30.config.ts use
  --missing  say nothing of hosts that are there and sound; without --force they are left as they are anyway
  --force    install anew over what is there
  --check    install nothing; fail when one is missing or damaged
  --list     show what is known and what is installed
  --relock   choose the dependencies' versions anew and write them to bench/hosts/locks/`

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      used: { type: 'boolean' },
      missing: { type: 'boolean' },
      force: { type: 'boolean' },
      check: { type: 'boolean' },
      list: { type: 'boolean' },
      relock: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return console.log(USAGE)
  const { hosts, used } = configured()
  const definitions = mergeHosts(hosts)
  const names = positionals.length > 0 ? positionals : values.used ? used : Object.keys(definitions)
  for (const name of names) hostDefinition(name, definitions)
  if (values.list) return list(names, definitions)
  const problems: string[] = []
  for (const name of names) {
    try {
      if (values.relock) await relock(name, definitions)
      else if (values.check) console.log(`${name}: ${hostPrefix(name, definitions).version}`)
      else await install(name, definitions, values)
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}

async function install(
  name: string,
  definitions: HostDefinitions,
  { force = false, missing = false }: { force?: boolean; missing?: boolean },
) {
  const started = Date.now()
  const { prefix, manifest, installed } = await installHost(name, hostDefinition(name, definitions), { force })
  if (missing && !installed) return
  const versions = Object.entries(manifest.packages).map(([it, version]) => `${it}@${version}`)
  const took = installed ? `installed in ${((Date.now() - started) / 1000).toFixed(1)} s` : 'is there'
  console.log(`${name} ${took}: ${versions.join(', ')}, node ${manifest.node}\n  ${prefix}`)
}

async function relock(name: string, definitions: HostDefinitions) {
  const definition = hostDefinition(name, definitions)
  if (!definition.lock) throw new Error(`host ${name} has no lock: its definition names none`)
  await writeLock(definition, definition.lock)
  console.log(`${name}: ${definition.lock}`)
}

function list(names: string[], definitions: HostDefinitions) {
  for (const name of names) {
    try {
      const { version, prefix } = hostPrefix(name, definitions)
      console.log(`${name}\t${version}\t${prefix}`)
    } catch {
      console.log(`${name}\tnot installed\t${definitions[name]?.packages.join(' ')}`)
    }
  }
}

/** Hosts that rw30.config.ts defines, and the names of those that its arms use. */
function configured(): { hosts: unknown; used: string[] } {
  const { hosts, arms } = resolveConfig(userConfig)
  return { hosts, used: [...new Set(Object.values(arms).map((arm) => arm.host))] }
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
