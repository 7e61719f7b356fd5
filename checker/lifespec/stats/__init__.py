"""Statistics of many sessions: what is measured, how often things go wrong, and whether a release is worse."""
