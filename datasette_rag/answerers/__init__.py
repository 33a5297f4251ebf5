"""Question and sources → answer: what an answerer is, and the ones that come with the plugin."""
