import { column } from '@adonisjs/lucid/orm'

import { OrganisationProviderSchema } from '#database/schema'

/** The identity provider of an organisation, for the addresses of its domain. */
export default class OrganisationProvider extends OrganisationProviderSchema {
  /** Encrypted. */
  @column({ serializeAs: null }) declare clientSecret: string
}
