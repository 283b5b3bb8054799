import KitPersonalApiToken from 'adonis-auth-kit/api_token/models/personal_api_token'

/** An API token that a user has made. Columns, hooks and relations of your own belong here. */
export default class PersonalApiToken extends KitPersonalApiToken {}
