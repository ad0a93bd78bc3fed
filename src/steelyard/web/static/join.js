// The open link: everyone who joins gets a personal link, which this browser remembers.

import { make, makeButton, readPage } from "./dom.js";
import { ApiError, inApp, persist, request } from "./http.js";
import { keep } from "./keep.js";

const { page, token } = readPage();
const { words } = page;
const rememberedUrl = keep(`join:${token}`);
const actions = document.getElementById("actions");
const notice = document.getElementById("notice");

// Stays at the address by which this browser came: a proxy may hide it from the server.
function goTo(url) {
  location.assign(inApp(`/w/${url.split("/").pop()}`));
}

async function join() {
  for (const button of actions.querySelectorAll("button")) button.disabled = true;
  try {
    // If a reply gets lost, a second worker is created; the first one never takes a HIT.
    const { url } = await persist(() => request("POST", "/api/v1/join", token), showWaiting);
    rememberedUrl.write(url);
    goTo(url);
  } catch (error) {
    showFailure(error);
  }
}

function showWaiting(error, retryNow) {
  const text = error.status === 429 ? words.crowded.replace("{minutes}", error.minutes) : words.waiting;
  notice.replaceChildren(text, " ", makeButton(words.retry_now, retryNow, "link-button"));
}

function showFailure(error) {
  if (error instanceof ApiError && error.code === "open_link_off") {
    page.open_link = false;
    notice.replaceChildren(words.join_closed);
    showChoices();
    return;
  }
  const isLink = error instanceof ApiError && [401, 403, 404].includes(error.status);
  const text = isLink ? words.link_text : error instanceof ApiError && error.code ? error.message : words.trouble_text;
  notice.replaceChildren(text);
  if (!isLink) showChoices();
}

function showChoices() {
  const url = rememberedUrl.read();
  const choices = url ? [makeButton(words.continue, () => goTo(url))] : [];
  if (page.open_link) {
    choices.push(url ? makeButton(words.join_other, join, "button quiet") : makeButton(words.join_button, join));
  }
  actions.replaceChildren(...choices);
}

if (rememberedUrl.read()) notice.replaceChildren(make("span", "", words.join_back));
showChoices();
