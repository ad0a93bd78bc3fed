// Talking to the server: one request, or one request repeated until the server replies.

// Where the app lies: this script is its static/http.js, at the root of a host or below some path.
const APP = new URL("../", import.meta.url);
const TIMEOUT_MS = 20_000;
const LONGEST_KEPT = 16_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** The address of `path`, such as "/api/v1/work", of the app that this page belongs to. */
export function inApp(path) {
  return new URL(path.replace(/^\//, ""), APP).href;
}

/** A reply that is not a success. Status 0: there was no reply at all. */
export class ApiError extends Error {
  constructor(status, { code = "", message = "", field = null } = {}, retryAfterMs = 0) {
    super(message || `HTTP ${status}`);
    this.status = status;
    this.code = code;
    this.field = field;
    this.retryAfterMs = retryAfterMs;
  }

  /** How long the server asks to wait, in whole minutes. */
  get minutes() {
    return Math.max(1, Math.ceil(this.retryAfterMs / 60_000));
  }

  /** Whether the same request may succeed later. */
  get isTemporary() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/**
 * @param {"GET"|"POST"|"PATCH"|"PUT"} method
 * @param {string} path  below the app, such as "/api/v1/work"
 * @param {string} token
 * @param {Object} [body]
 * @param {number} [timeoutMs]  how long to wait for the reply
 * @returns {Promise<Response>} a successful one; everything else throws ApiError
 */
export async function fetchWithToken(method, path, token, body, timeoutMs = TIMEOUT_MS) {
  // Without a token a proxy says who this is; pages of other sites cannot send the other header.
  const headers = token ? { Authorization: `Bearer ${token}` } : { "X-Steelyard": "dashboard" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const text = body === undefined ? undefined : JSON.stringify(body);
  let response;
  try {
    response = await fetch(inApp(path), {
      method,
      headers,
      body: text,
      cache: "no-store",
      // An answer sent just before the page is closed still arrives; browsers refuse that for long texts.
      keepalive: method === "POST" && text !== undefined && text.length < LONGEST_KEPT,
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (reason) {
    throw new ApiError(0, { message: String(reason) });
  }
  if (response.ok) return response;
  const details = await response.json().catch(() => ({}));
  const seconds = Number(response.headers.get("Retry-After")) || 0;
  throw new ApiError(response.status, details.error, 1000 * seconds);
}

/** Like `fetchWithToken`, but returns the JSON of the reply. */
export async function request(method, path, token, body, timeoutMs = TIMEOUT_MS) {
  const response = await fetchWithToken(method, path, token, body, timeoutMs);
  try {
    return await response.json();
  } catch (reason) {
    // Cut off half-way: the same as no reply.
    throw new ApiError(0, { message: String(reason) });
  }
}

/**
 * Repeat `call` until it succeeds or fails for good, waiting twice as long after each failure.
 * @param {() => Promise<any>} call
 * @param {(error: ApiError, retryNow: () => void) => void} onWaiting  called before each wait
 * @param {string[]} [codes]  further errors that will pass
 */
export async function persist(call, onWaiting, codes = []) {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || !(error.isTemporary || codes.includes(error.code))) throw error;
      // Random waits, so that a server that comes back is not overrun by all pages at once.
      const spread = wait * (0.75 + 0.5 * Math.random());
      const asked = error.retryAfterMs && error.retryAfterMs + FIRST_WAIT_MS * Math.random();
      await pause(Math.max(spread, asked), (retryNow) => onWaiting(error, retryNow));
    }
  }
}

// Ends early when the browser comes back online or `wake`, handed to `onStart`, is called.
function pause(milliseconds, onStart) {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      window.removeEventListener("online", wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    window.addEventListener("online", wake);
    onStart(wake);
  });
}

/** A random UUID, even on pages served over plain http, where crypto.randomUUID is missing. */
export function makeUuid() {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
