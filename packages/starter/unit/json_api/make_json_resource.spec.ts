import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'

import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import MakeJsonResource from 'adonis-auth-kit/commands/make_json_resource'
import { runCommand } from '#starter/helpers/commands'

test.group('node ace make:json-resource', (group) => {
  group.each.setup(() => {
    ace.ui.switchMode('raw')
    return async () => {
      ace.ui.switchMode('normal')
      for (const folder of ['app/resources/generated', 'app/models/generated']) {
        await rm(app.makePath(folder), { recursive: true, force: true })
      }
    }
  })

  test('writes a resource for the model, under the name of either', async ({ assert }) => {
    for (const name of [
      'generated/UserProfile',
      'generated/user_profile',
      'generated/UserProfileResource',
    ]) {
      const command = await runCommand(MakeJsonResource, [name, '--force'])
      command.assertSucceeded()
      const path = app.makePath('app/resources/generated/user_profile_resource.ts')
      const { default: UserProfileResource } = await import(`${path}?${Math.random()}`)
      assert.equal(UserProfileResource.type, 'user_profiles')
    }
  })

  test('hides the foreign keys behind the relationships that it declares', async ({ assert }) => {
    const args = [
      'generated/Reply',
      '--to-one=author:User',
      '--to-one=post',
      '--to-many=likes:User',
    ]
    const command = await runCommand(MakeJsonResource, args)
    command.assertSucceeded()
    const source = await readFile(app.makePath('app/resources/generated/reply_resource.ts'), 'utf8')
    assert.include(source, "static hidden = ['id', 'userId', 'postId']")
  })

  test('hides the foreign keys that the model names itself', async ({ assert }) => {
    await mkdir(app.makePath('app/models/generated'), { recursive: true })
    await writeFile(
      app.makePath('app/models/generated/folder.ts'),
      `export default class Folder extends BaseModel {
        @belongsTo(() => User, { foreignKey: 'ownerId' })
        declare owner: BelongsTo<typeof User>

        @belongsTo(() => User)
        declare reader: BelongsTo<typeof User>

        @hasMany(() => Folder, { foreignKey: 'parentId' })
        declare folders: HasMany<typeof Folder>

        @belongsTo(() => Folder, {
          foreignKey: 'parentId',
        })
        declare parent: BelongsTo<typeof Folder>
      }`
    )
    const args = ['--to-one=owner:User', '--to-one=reader:User', '--to-one=parent:Folder']
    await runCommand(MakeJsonResource, ['generated/Folder', ...args])
    const path = app.makePath('app/resources/generated/folder_resource.ts')
    const source = await readFile(path, 'utf8')
    assert.include(source, "static hidden = ['id', 'ownerId', 'userId', 'parentId']")
  })

  test('hides the workspace of a model that belongs to one', async ({ assert }) => {
    await mkdir(app.makePath('app/models/generated'), { recursive: true })
    await writeFile(
      app.makePath('app/models/generated/ticket.ts'),
      'export default class Ticket extends compose(TicketSchema, BelongsToWorkspace) {}'
    )
    await runCommand(MakeJsonResource, ['generated/Ticket', '--to-one=author:User'])
    const path = app.makePath('app/resources/generated/ticket_resource.ts')
    const source = await readFile(path, 'utf8')
    assert.include(source, "static hidden = ['id', 'userId', 'workspaceId']")
  })
})
