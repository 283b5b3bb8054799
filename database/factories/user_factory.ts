import Factory from '@adonisjs/lucid/factories'

import User from '#models/user'

/** The password of every user that the factory makes, unless a test says otherwise. */
export const FACTORY_PASSWORD = 'correct horse battery'

export const UserFactory = Factory.define(User, ({ faker }) => ({
  // HTML writes a straight apostrophe (O'Connell) in another way: tests compare names with pages as they are.
  fullName: faker.person.fullName().replaceAll("'", '’'),
  email: faker.string.uuid() + '@example.com',
  password: FACTORY_PASSWORD,
  isActive: true,
})).build()
