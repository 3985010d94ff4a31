"""What a language model proposes, and what of it is believed: prompts, checks against the sources, and the account of its cost."""
