import { flags } from '@adonisjs/core/ace'
import string from '@adonisjs/core/helpers/string'

import { StartedCommand } from '#process/kit_command'

const LABELS = { ok: 'ok     ', warning: 'WARNING', error: 'ERROR  ' }

/** Checks what an installation needs, a line each; exit code 1 when something has to be mended. */
export default class Doctor extends StartedCommand {
  static commandName = 'doctor'
  static description = 'Check keys, settings, database, proxies and services'

  @flags.boolean({ description: 'Judge by the rules of production, also elsewhere' })
  declare production?: boolean

  async run() {
    const { examine } = await import('#doctor/examination')
    const findings = await examine({ inProduction: this.production ?? this.app.inProduction })
    findings.forEach(({ level, about, text }) =>
      this.logger.log(`${LABELS[level]} ${about}: ${text}`)
    )
    const [errors, warnings] = ['error', 'warning'].map((level) => {
      const count = findings.filter((finding) => finding.level === level).length
      return string.pluralize(level, count, true)
    })
    this.logger.log(`${errors}, ${warnings}`)
    this.exitCode = findings.some(({ level }) => level === 'error') ? 1 : 0
  }
}
