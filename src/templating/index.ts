export { type TemplateEngine, TemplateError, type TemplateErrorDetails } from './engine.ts'
export { EtaEngine, type TemplateOptions, type Templates, templateEngine } from './eta.ts'
