"""lifespec: the lifecycle of a runtime connection, written once and checked in every log."""
