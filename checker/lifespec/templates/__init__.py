"""The texts that `lifespec init` writes, as package data."""
