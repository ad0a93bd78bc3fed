// Sources in HTML. The server has refused what is not allowed, and this does not rely on it: a text is parsed in a
// document of its own, in which nothing runs or loads, and what is on the lists is made anew, one by one.

import { make } from "./dom.js";

const MEDIA = new URL("../media/", import.meta.url);
// As steelyard.domain.media names and knows them.
const FILE = /^[0-9a-f]{32}\.(png|jpe?g|gif|webp|avif|mp3|wav|og[gav]|opus|m4[av]|flac|mp4|webm)$/;
const PLAIN = [
  ..."p br b strong i em u s ul ol li blockquote span div sup sub ruby rt rp a".split(" "),
  ..."table caption colgroup col thead tbody tfoot tr th td".split(" "),
];
// Headings of a source are none of the page: they would break its outline for those who hear it.
const HEADINGS = ["h1", "h2", "h3", "h4"];
const NUMBERS = ["colspan", "rowspan", "width", "height"];

/**
 * A source with its pictures and players.
 * @param {string} text  HTML
 * @param {string} label  what a picture or player is called that has no name of its own
 * @returns {{element: HTMLElement, text: string, destroy: () => void}}  `text`: what there is to read
 */
export function drawMarkup(text, label) {
  const parsed = new DOMParser().parseFromString(text, "text/html");
  const element = make("div", "markup");
  copyChildren(parsed.body, element, label);
  const players = [...element.querySelectorAll("audio, video")];
  return {
    element,
    text: element.textContent,
    // One that has left the page would go on playing.
    destroy: () => players.forEach(stop),
  };
}

/** What there is to read in a source in HTML. */
export function plainTextOf(text) {
  return drawMarkup(text, "").text;
}

function copyChildren(from, to, label) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
    else if (node.nodeType === Node.ELEMENT_NODE) to.append(...copied(node, label));
  }
}

/** The element made anew; nothing if it is none of those we know. */
function copied(node, label) {
  const name = node.namespaceURI === "http://www.w3.org/1999/xhtml" ? node.localName : "";
  if (name === "img") return [picture(node, label)];
  if (name === "audio" || name === "video") return [player(node, name, label)];
  if (!PLAIN.includes(name) && !HEADINGS.includes(name)) return [];
  const element = HEADINGS.includes(name) ? make("div", `markup-heading markup-${name}`) : make(name);
  copyAttributes(node, element);
  copyChildren(node, element, label);
  return [element];
}

function copyAttributes(node, element) {
  for (const name of ["title", "lang"]) {
    if (node.hasAttribute(name)) element.setAttribute(name, node.getAttribute(name));
  }
  if (/^(ltr|rtl|auto)$/.test(node.getAttribute("dir") ?? "")) element.dir = node.getAttribute("dir");
  for (const name of NUMBERS) {
    if (/^[1-9][0-9]{0,4}$/.test(node.getAttribute(name) ?? "")) element.setAttribute(name, node.getAttribute(name));
  }
}

function picture(node, label) {
  const image = make("img", "markup-picture");
  copyAttributes(node, image);
  image.alt = node.getAttribute("alt") ?? label;
  const address = addressOf(node);
  if (address) image.src = address;
  return image;
}

function player(node, name, label) {
  const element = /** @type {HTMLMediaElement} */ (make(name, "markup-player"));
  copyAttributes(node, element);
  element.controls = true;
  element.preload = "metadata";
  element.setAttribute("playsinline", "");
  element.setAttribute("aria-label", node.getAttribute("title") || label);
  const files = [node, ...node.querySelectorAll("source")].map(addressOf).filter(Boolean);
  if (files.length === 1) element.src = files[0];
  else element.append(...files.map((address) => Object.assign(make("source"), { src: address })));
  return element;
}

/** Where a file is that the server keeps; empty for anything else. */
function addressOf(node) {
  const name = node.getAttribute("src") ?? "";
  return FILE.test(name) ? new URL(name, MEDIA).href : "";
}

function stop(media) {
  media.pause();
  media.removeAttribute("src");
  media.replaceChildren();
  media.load();
}
