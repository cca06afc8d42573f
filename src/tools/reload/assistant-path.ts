/** Path of the tools for assistants. */
export const ASSISTANT_PATH = '/_propylon/mcp'
