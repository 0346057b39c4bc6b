/** Opens a jail with a background process, a service's worth of things to end, prints its namespace and waits to be killed. */
import { openJail } from '../../../bench/jail/jail.ts'

const [workspace, home] = process.argv.slice(2)
const jail = await openJail({
  workspace: workspace!,
  editable: [],
  home: home!,
  hostPrefix: null,
  mounts: {},
  gatewaySocket: null,
  services: [],
  env: {},
  argv: ['/bin/bash', '-c', 'setsid sleep 1000 & readlink /proc/self/ns/pid; exec sleep 1000'],
})
jail.process.stdout.pipe(process.stdout)
setInterval(() => {}, 1000)
