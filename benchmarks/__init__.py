"""What is slow, and against what: ratios measured in one run on the machine at hand."""
