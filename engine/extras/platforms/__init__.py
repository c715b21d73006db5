"""Describes the files and caps of platforms that the four documents do not name: one TOML file each."""
