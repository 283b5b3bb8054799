import { dirname } from 'node:path'

import { DiskSpaceCheck } from '@adonisjs/core/health'
import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

import { Visitor } from '#starter/helpers/visitor'

test.group('Health', () => {
  test('the disk that is looked at is the one with the SQLite file', async ({ assert }) => {
    const looked: string[] = []
    const { run } = DiskSpaceCheck.prototype
    DiskSpaceCheck.prototype.run = function (this: DiskSpaceCheck) {
      looked.push(this.diskPath)
      return run.call(this)
    }
    getActiveTest()!.cleanup(() => {
      DiskSpaceCheck.prototype.run = run
    })
    assert.equal((await new Visitor().get('/health/ready')).status, 200)
    const file = app.config.get<string>('database.connections.sqlite.connection.filename')
    const isSqlite = app.config.get('database.connection') === 'sqlite'
    assert.deepEqual(looked, [isSqlite ? dirname(file) : new DiskSpaceCheck().diskPath])
  })
})
