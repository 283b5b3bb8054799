/*
|--------------------------------------------------------------------------
| Routes file
|--------------------------------------------------------------------------
*/

import router from '@adonisjs/core/services/router'

/*
| Reference routes: three fixed answers.
*/
router.get('/', ({ response }) => response.ok(''))
router.get('/user/:id', ({ params, response }) =>
  response.header('content-type', 'text/plain; charset=utf-8').send(params.id)
)
router.post('/user', ({ response }) => response.ok(''))
