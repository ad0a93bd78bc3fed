// Direct assessment against the source: the line of direct assessment below other texts.

export { mount } from "../da/widget.js";
