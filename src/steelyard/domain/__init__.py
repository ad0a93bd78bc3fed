"""The nouns of human evaluation. Standard library only; nothing here does input or output."""
