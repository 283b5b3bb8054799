import type { MaybePromise } from '#process/maybe_promise'

/** Tells those who wait for a topic, here or in another process, that something has happened to it. */
export interface Signals {
  publish(topic: string): Promise<void>

  /**
   * Calls the listener for what is published from now on. Resolves when nothing is missed any more.
   *
   * @returns ends it
   */
  watch(topic: string, listener: () => void): MaybePromise<() => void>

  /** Called when the process ends. */
  close(): MaybePromise<void>
}

/** Signals within one process. */
export class LocalSignals implements Signals {
  protected readonly listeners = new Map<string, Set<() => void>>()

  async publish(topic: string): Promise<void> {
    this.deliver(topic)
  }

  watch(topic: string, listener: () => void): MaybePromise<() => void> {
    const listeners = this.listeners.get(topic) ?? new Set()
    this.listeners.set(topic, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) {
        this.listeners.delete(topic)
        this.forget(topic)
      }
    }
  }

  close(): MaybePromise<void> {}

  protected deliver(topic: string): void {
    this.listeners.get(topic)?.forEach((listener) => listener())
  }

  /** Called when nobody waits for the topic any more. */
  protected forget(_topic: string): void {}
}
