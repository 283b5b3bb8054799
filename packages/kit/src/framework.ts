/*
| What providers of the framework add to its types. An application gets this from
| its adonisrc.ts; the kit, compiled alone, from here.
*/
import type {} from '@adonisjs/core/providers/edge_provider'
import type {} from '@adonisjs/core/providers/vinejs_provider'
import type {} from '@adonisjs/limiter/limiter_provider'
import type {} from '@adonisjs/lucid/database_provider'
import type {} from '@adonisjs/redis/redis_provider'
import type {} from '@adonisjs/i18n/i18n_provider'
import type {} from '@adonisjs/mail/mail_provider'
