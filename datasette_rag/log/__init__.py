"""The log: what was asked, what it cost, what stayed unanswered."""
