"""Question → keywords: its own words, with synonyms; or those that an asker gave."""
