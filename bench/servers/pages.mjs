// Renders the page of users for all servers except Propylon, which has its own integration of Eta.
import { Eta } from 'eta'
import { users, usersTemplate } from '../works/data.ts'

const eta = new Eta({ cache: true })
eta.loadTemplate('@users', usersTemplate)

export const usersPage = () => eta.render('@users', { users })
