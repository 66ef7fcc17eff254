import { connect } from 'node:net';

/** The server was there a moment ago, and says this at once. */
const GREETING_MS = 2000;
/** A greeting names the servers of a cluster: some hundred bytes. */
const MOST_GREETING_BYTES = 64 * 1024;

/** Reads whether the greeting, which a server sends before TLS, demands a client certificate. False where none comes. */
export function requiresCertificate(server: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${server}`);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
  return new Promise((resolve) => {
    let greeting = '';
    const close = (): void => {
      socket.destroy();
      resolve(/^INFO \{.*"tls_verify":\s*true\b/.test(greeting));
    };
    socket.setEncoding('latin1').setTimeout(GREETING_MS, close);
    socket.on('data', (text: string) => {
      greeting += text;
      if (greeting.includes('\n') || greeting.length > MOST_GREETING_BYTES) close();
    });
    socket.on('error', close).on('end', close);
  });
}
