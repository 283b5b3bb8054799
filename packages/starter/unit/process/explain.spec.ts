import { test } from '@japa/runner'

import { explain } from '#kit/process/explain'

test.group('What a start or a command prints instead of a stack', () => {
  test('{error.message}: one sentence that says what to do')
    .with([
      {
        error: { message: 'select * from `users` limit ? - no such table: users' },
        sentence:
          'There is no table "users" in the database: run "node ace migration:run". If a migration says so, another one has to create the table before it.',
      },
      {
        error: { message: 'select * from "users" - relation "users" does not exist' },
        sentence:
          'There is no table "users" in the database: run "node ace migration:run". If a migration says so, another one has to create the table before it.',
      },
      {
        error: {
          message: 'connect ECONNREFUSED 127.0.0.1:1',
          code: 'ECONNREFUSED',
          address: '127.0.0.1',
          port: 1,
        },
        sentence:
          'Nothing answers at 127.0.0.1:1: start what should, e.g. the database, or correct its address in .env.',
      },
      {
        error: { message: 'getaddrinfo ENOTFOUND db', code: 'ENOTFOUND', hostname: 'db' },
        sentence: 'There is no host "db": correct the address in .env, e.g. of the database.',
      },
      {
        error: {
          message: 'password authentication failed for user "app"',
          code: '28P01',
        },
        sentence:
          'PostgreSQL refuses the connection (password authentication failed for user "app"): correct the DB_* variables and PGSSLMODE in .env.',
      },
      {
        error: {
          message: 'no pg_hba.conf entry for host "10.0.0.1", no encryption',
          code: '28000',
        },
        sentence:
          'PostgreSQL refuses the connection (no pg_hba.conf entry for host "10.0.0.1", no encryption): correct the DB_* variables and PGSSLMODE in .env.',
      },
      {
        error: { message: 'database "app" does not exist', code: '3D000' },
        sentence:
          'PostgreSQL refuses the connection (database "app" does not exist): correct the DB_* variables and PGSSLMODE in .env.',
      },
      {
        error: {
          message: 'unable to verify the first certificate',
          code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        },
        sentence:
          'A server, e.g. of the database, has a certificate of an unknown authority (UNABLE_TO_VERIFY_LEAF_SIGNATURE): name a file with that of the authority in NODE_EXTRA_CA_CERTS, in the environment and not in .env.',
      },
      {
        error: { message: 'BEGIN; - database is locked', code: 'SQLITE_BUSY' },
        sentence:
          'Another process is writing to the SQLite file, e.g. a migration: run the command again when it is done.',
      },
      {
        error: { message: 'create table `notes` (`id` integer) - table `notes` already exists' },
        sentence:
          '"notes" is in the database already: if another process has just migrated it, run the command again. Otherwise two migrations make it.',
      },
      {
        error: { message: 'alter table `users` add `age` - duplicate column name: age' },
        sentence:
          '"age" is in the database already: if another process has just migrated it, run the command again. Otherwise two migrations make it.',
      },
      {
        error: {
          message: "ENOENT: no such file or directory, mkdir '/proc/a'",
          code: 'ENOENT',
          syscall: 'mkdir',
        },
        sentence:
          "Cannot read or write a file: ENOENT: no such file or directory, mkdir '/proc/a'.",
      },
      {
        error: {
          message: 'listen EACCES: permission denied 0.0.0.0:80',
          code: 'EACCES',
          syscall: 'listen',
          address: '0.0.0.0',
          port: 80,
        },
        sentence: 'Cannot listen on 0.0.0.0:80 (EACCES): set another HOST or PORT in .env.',
      },
      {
        error: {
          message: 'Validation failed for one or more environment variables',
          code: 'E_INVALID_ENV_VARIABLES',
          help: '- "PORT" env variable must be a number\n- Missing environment variable "APP_KEY"',
        },
        sentence:
          'The environment is not complete or not valid: "PORT" env variable must be a number; Missing environment variable "APP_KEY". Correct .env (see .env.example).',
      },
      {
        error: { message: 'WRONGPASS invalid username-password pair or user is disabled.' },
        sentence: 'Redis refuses the password: correct REDIS_PASSWORD in .env.',
      },
      {
        error: { message: 'NOAUTH Authentication required.' },
        sentence: 'Redis refuses the password: correct REDIS_PASSWORD in .env.',
      },
      {
        error: {
          message: 'Migration completed, but unable to release database lock',
          code: 'E_UNABLE_RELEASE_LOCK',
        },
        sentence:
          'Another process is migrating this database: run the command again when it is done.',
      },
    ])
    .run(({ assert }, { error, sentence }) => {
      assert.equal(explain(error), sentence)
      assert.equal(explain(new AggregateError([error])), sentence)
    })

  test('an error that only a stack explains keeps it', ({ assert }) => {
    assert.isNull(explain(new TypeError('x is not a function')))
    assert.isNull(explain(new Error('The relation does not exist in our words')))
  })
})
