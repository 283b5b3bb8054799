import { defineConfig } from '@adonisjs/core/hash'

import { resolveAuthConfig } from 'adonis-auth-kit/auth/define_config'
import { PasswordHasher } from 'adonis-auth-kit/auth'
import authConfig from '#config/auth'

const { bcryptRounds, hashingPatience } = resolveAuthConfig(authConfig)

const hashConfig = defineConfig({
  default: 'bcrypt',
  list: {
    bcrypt: () => new PasswordHasher({ rounds: bcryptRounds, patience: hashingPatience }),
  },
})

export default hashConfig

declare module '@adonisjs/core/types' {
  export interface HashersList extends InferHashers<typeof hashConfig> {}
}
