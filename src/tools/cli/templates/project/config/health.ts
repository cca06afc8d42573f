/** Throws if something that the application needs cannot be reached. `/readyz` is 503 then. */
export async function check(): Promise<void> {}
