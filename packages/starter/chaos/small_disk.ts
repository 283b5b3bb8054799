import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const SIZE = '64m'
const BLOCK = Buffer.alloc(65_536)

/** A disk of a few megabytes in memory, which can be filled and made read-only. */
export class SmallDisk {
  readonly #filler: string

  private constructor(readonly folder: string) {
    this.#filler = join(folder, 'filler')
  }

  /** Null where this process may not mount one: that takes root with CAP_SYS_ADMIN, on Linux. */
  static mount(folder: string): SmallDisk | null {
    mkdirSync(folder)
    return mount('-t', 'tmpfs', '-o', `size=${SIZE},mode=755`, 'tmpfs', folder)
      ? new SmallDisk(folder)
      : null
  }

  fill(): void {
    const file = openSync(this.#filler, 'w')
    try {
      for (let block = BLOCK; block.length; block = block.subarray(0, block.length / 2)) {
        writeUntilFull(file, block)
      }
    } finally {
      closeSync(file)
    }
  }

  free(): void {
    rmSync(this.#filler, { force: true })
  }

  /** Fails while a process has a file of it open for writing. */
  setWritable(isWritable: boolean): void {
    if (!mount('-o', `remount,${isWritable ? 'rw' : 'ro'}`, this.folder)) {
      throw new Error(`Cannot remount ${this.folder}`)
    }
  }

  unmount(): void {
    spawnSync('umount', ['-l', this.folder])
  }
}

function mount(...args: string[]): boolean {
  return process.platform === 'linux' && spawnSync('mount', args).status === 0
}

function writeUntilFull(file: number, block: Buffer) {
  try {
    for (;;) {
      writeSync(file, block)
    }
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') {
      throw error
    }
  }
}
