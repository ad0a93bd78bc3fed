"""The web server: routes parse, call one flow, render."""
