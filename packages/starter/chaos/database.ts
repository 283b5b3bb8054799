import type { Servers } from './servers.js'

export interface Chaos {
  servers: Servers
}

export interface Fault {
  name: string
  /** Breaks something, waits for so many milliseconds, and mends it. */
  run: (milliseconds: number) => Promise<void>
}

/** The database that the servers of a run share. */
export interface TestedDatabase {
  name: string
  /** Environment of the servers. */
  env: Record<string, string>
  /** What cannot be tried here, and why. */
  notes: string[]
  faults(chaos: Chaos): Fault[]
  /** Runs a query and returns how many rows it has. */
  countRows(query: string): Promise<number>
  close(): Promise<void>
}
