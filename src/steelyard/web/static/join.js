// The open link: everyone who joins gets a personal link, which this browser remembers. Whom a crowd platform sends
// is known by what the address says, and need not be remembered: others may use this browser too.

import { make, makeButton, readPage } from "./dom.js";
import { ApiError, inApp, persist, request } from "./http.js";
import { keep } from "./keep.js";
import { drawAbout } from "./preview.js";

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
    // If a reply gets lost, a second worker is created, unless a platform says who it is; the first one never takes
    // a HIT.
    const { url } = await persist(() => request("POST", `/api/v1/join${location.search}`, token), showWaiting);
    if (!page.from_platform) rememberedUrl.write(url);
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
    page.welcome = "open";
    notice.replaceChildren(words.join_closed);
    showChoices();
    return;
  }
  // What stood in the way came up since the page was opened: a new one says what it is.
  if (error instanceof ApiError && ["no_id", "barred", "preview"].includes(error.code)) {
    location.reload();
    return;
  }
  const isLink = error instanceof ApiError && [401, 403, 404].includes(error.status);
  const text = isLink ? words.link_text : error instanceof ApiError && error.code ? error.message : words.trouble_text;
  notice.replaceChildren(text);
  if (!isLink) showChoices();
}

function showChoices() {
  if (page.from_platform) {
    const label = page.welcome === "known" ? words.continue : words.join_button;
    const mayJoin = page.welcome === "known" || (page.welcome === "open" && page.open_link);
    actions.replaceChildren(...(mayJoin ? [makeButton(label, join)] : []));
    return;
  }
  const url = rememberedUrl.read();
  const choices = url ? [makeButton(words.continue, () => goTo(url))] : [];
  if (page.open_link) {
    choices.push(url ? makeButton(words.join_other, join, "button quiet") : makeButton(words.join_button, join));
  }
  actions.replaceChildren(...choices);
}

if (!page.from_platform && rememberedUrl.read()) notice.replaceChildren(make("span", "", words.join_back));
document.getElementById("about")?.replaceChildren(...drawAbout(page));
showChoices();
// Who has joined before and taken the work on the platform has pressed a button there, and needs no other one here.
if (page.posts_back && page.welcome === "known") join();
