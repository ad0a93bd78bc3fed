// Buttons that save a file of the server.

import { make, makeButton } from "../dom.js";
import { complain } from "./ask.js";
import { desk, fetchFile } from "./desk.js";

const REVOKE_MS = 60_000;

/**
 * @param {string} label
 * @param {string} path  after /api/v1
 * @param {string} ending  of the file's name, if the server gives none
 */
export function fileButton(label, path, ending, className = "button quiet small") {
  const button = makeButton(label, async () => {
    button.disabled = true;
    button.textContent = "One moment …";
    try {
      await saveReply(await fetchFile(path), `${desk.campaign?.campaign?.name ?? "campaign"}.${ending}`);
    } catch (error) {
      complain(error);
    }
    button.disabled = false;
    button.textContent = label;
  }, className);
  return button;
}

async function saveReply(response, name) {
  const found = /filename="?([^";]+)"?/.exec(response.headers.get("Content-Disposition") ?? "");
  const link = make("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = found ? found[1] : name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
}
