"""An Analysis in, text out. Renderers round and lay out; they compute nothing."""
