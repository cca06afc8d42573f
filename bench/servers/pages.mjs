// The page of users for every server but Propylon's, which has its own way to Eta.
import { Eta } from 'eta'
import { users, usersTemplate } from '../works/data.ts'

const eta = new Eta({ cache: true })
eta.loadTemplate('@users', usersTemplate)

export const usersPage = () => eta.render('@users', { users })
