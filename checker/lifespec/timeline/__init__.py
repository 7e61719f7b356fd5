"""What happened in one session, in time: a value, how it is made of a log, and how it is drawn."""
