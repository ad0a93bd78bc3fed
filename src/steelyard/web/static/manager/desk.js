// What the dashboard knows: asked of the server while the page is visible, and no more often than needed.

import { readPage } from "../dom.js";
import { ApiError, fetchWithToken, request } from "../http.js";

// A reply that took long is asked for again only after this many times as long; the numbers of progress sooner.
const REST = 9;
const SHORT_REST = 4;
const REFRESH_MS = 3_000;
// A reply slower than this is no longer asked for by itself: a person presses "Update".
const SLOW_MS = 8_000;
const LONGEST_MS = 600_000;
// After this many seconds the page says how long it has been waiting.
const SAID_AFTER = 3;

const read = readPage();
export const page = read.page;
export const token = read.token;

/** Where the report is, below the app. */
export const reportPath = token ? `/m/${encodeURIComponent(token)}/report` : "/m/report";

/** What the server says about the campaign, or about the series on the page of a series. */
export const desk = { campaign: null, epoch: 0 };

const ROLES = ["viewer", "manager", "owner"];

/** Whether whoever looks at this page may do what needs a role. @param {"viewer"|"manager"|"owner"} role */
export function may(role) {
  return ROLES.indexOf(desk.campaign?.you?.role ?? page.role ?? "owner") >= ROLES.indexOf(role);
}

/** One call of the programming interface. @param {"GET"|"POST"|"PATCH"|"PUT"} method @param {string} path  after /api/v1 */
export function call(method, path, body) {
  return request(method, `/api/v1${path}`, token, body, LONGEST_MS);
}

/** The reply as it is, for files. @param {string} path  after /api/v1 */
export function fetchFile(path) {
  return fetchWithToken("GET", `/api/v1${path}`, token, undefined, LONGEST_MS);
}

/** Something on the server that is asked for again when the campaign has changed and its turn has come. */
export class Resource {
  /**
   * @param {string} path  after /api/v1
   * @param {{fixed?: boolean, isHeavy?: boolean, everyMs?: number}} [options]  fixed: judgements do not change it;
   *   isHeavy: an analysis, which in a large campaign waits for a person even after an action; everyMs: it changes
   *   without the campaign's numbers telling, so it is asked for again after as long
   */
  constructor(path, { fixed = false, isHeavy = false, everyMs = Infinity } = {}) {
    this.path = path;
    this.fixed = fixed;
    this.isHeavy = isHeavy;
    this.everyMs = everyMs;
    this.isPending = false;
    this.askedAt = 0;
    this.data = null;
    /** @type {ApiError|null} */
    this.error = null;
    this.loadedAt = 0;
    this.tookMs = 0;
    this.version = null;
    this.judgements = 0;
  }

  /** How many judgements came in since. */
  get behind() {
    return (desk.campaign?.progress.n_judgements ?? 0) - this.judgements;
  }

  /** What to say while the first reply is awaited; a long one says for how long. */
  get waitingWords() {
    const seconds = this.isPending ? Math.floor((performance.now() - this.askedAt) / 1000) : 0;
    return seconds < SAID_AFTER ? "One moment …" : `The server is working this out, for ${seconds} seconds so far …`;
  }

  get isSlow() {
    return this.tookMs > SLOW_MS;
  }

  /** Whether the campaign has changed since. */
  get isBehind() {
    return this.version !== null && this.version !== versionOf(this.fixed);
  }

  get isDue() {
    if (this.isPending) return false;
    if (this.version === null || performance.now() > this.loadedAt + this.everyMs) return true;
    if (!this.isBehind) return false;
    // What the manager has just changed is shown at once.
    const isOwnChange = !versionOf(this.fixed).startsWith(`${this.version.split(" ")[0]} `);
    if (isOwnChange && !(this.isHeavy && this.isSlow)) return true;
    return !this.isSlow && performance.now() > this.loadedAt + REST * this.tookMs;
  }

  /** Asks the server. Problems with the connection are thrown; what the server says is kept, data or error. */
  async refresh() {
    this.isPending = true;
    this.askedAt = performance.now();
    try {
      await this.#ask();
    } finally {
      this.isPending = false;
    }
  }

  async #ask() {
    const started = performance.now();
    const version = versionOf(this.fixed);
    const judgements = desk.campaign?.progress.n_judgements ?? 0;
    try {
      this.data = await call("GET", this.path);
      this.error = null;
    } catch (error) {
      if (!(error instanceof ApiError) || error.isTemporary || error.status === 401) throw error;
      this.data = null;
      this.error = error;
    }
    this.version = version;
    this.judgements = judgements;
    this.loadedAt = performance.now();
    this.loadedTime = Date.now();
    this.tookMs = this.loadedAt - started;
  }
}

// Changes whenever something was judged, taken, submitted or decided; the epoch, first, when it was done here.
export function versionOf(fixed) {
  const { progress, campaign, rules } = desk.campaign ?? { progress: { workers: [] } };
  const out = progress.workers.filter((worker) => worker.is_excluded || worker.is_blocked).map((worker) => worker.worker_id);
  const decided = JSON.stringify([campaign?.revision, campaign?.state, campaign?.n_parts, rules, out, progress.places?.excluded]);
  const work = fixed ? "" : [progress.n_judgements, progress.n_openings, progress.n_taken, progress.n_submitted].join("/");
  return `${desk.epoch} ${decided} ${work}`;
}

/** What the campaign's own check has found about each worker so far. */
export const verdicts = new Resource("/verdicts", { isHeavy: true });

let timer = 0;
let isRunning = false;
let isWanted = false;
/** @type {{path?: string, needs: () => Resource[], draw: () => void, say: (text: string) => void}} */
let reader;

/** Begins to follow the campaign, or what is at another `path` after /api/v1. */
export function follow(given) {
  reader = given;
  document.addEventListener("visibilitychange", keepFresh);
  keepFresh();
}

/** To be called after an action: everything is asked for again, now. */
export function changed() {
  desk.epoch += 1;
  keepFresh();
}

// A failure is not told: the numbers of progress fail too while the server is away, and it is tried again.
async function load(resource) {
  try {
    await resource.refresh();
    reader.draw();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** Asks for what is due and draws it, then again after a while. */
export async function keepFresh() {
  clearTimeout(timer);
  if (document.hidden || !reader) return;
  if (isRunning) {
    isWanted = true;
    return;
  }
  isRunning = true;
  let rest = REFRESH_MS;
  try {
    const started = performance.now();
    desk.campaign = await call("GET", reader.path ?? "/campaign");
    rest = Math.max(rest, SHORT_REST * (performance.now() - started));
    reader.draw();
    reader.say("");
    // Not waited for: an analysis may take long, and progress goes on.
    for (const resource of reader.needs()) if (resource.isDue) load(resource);
  } catch (error) {
    if (error instanceof ApiError && [401, 403, 404].includes(error.status)) {
      reader.say("This link no longer works. Please use the manager’s link exactly as `steelyard links` prints it.");
      isRunning = false;
      return;
    }
    if (!(error instanceof ApiError)) console.error(error);
    reader.say("The server is not responding; trying again. What you see may be out of date.");
  }
  isRunning = false;
  if (isWanted) {
    isWanted = false;
    keepFresh();
    return;
  }
  timer = setTimeout(keepFresh, rest);
}
