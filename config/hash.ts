import { defineConfig } from '@adonisjs/core/hash'

import { PasswordHasher } from '#auth/password_hasher'
import authConfig from '#config/auth'

const hashConfig = defineConfig({
  default: 'bcrypt',
  list: {
    bcrypt: () => new PasswordHasher({ rounds: authConfig.bcryptRounds }),
  },
})

export default hashConfig

declare module '@adonisjs/core/types' {
  export interface HashersList extends InferHashers<typeof hashConfig> {}
}
