#!/usr/bin/env node
import { createPropylon } from 'propylon/create'

process.exitCode = await createPropylon(process.argv.slice(2))
