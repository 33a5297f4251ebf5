"""Evals: questions with known answers in, figures of how good search and answers are out."""
