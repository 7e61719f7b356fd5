"""A draft of a lifecycle and a binding from logs. What is written was seen, and is no more than that.

`read_logs` -> `find_roles` -> `assign` -> `mine` -> `draft`: each hands a value to the next. Nothing here judges a log,
and no engine is asked: the draft is made so that its own logs keep to it, which tests show.
"""
