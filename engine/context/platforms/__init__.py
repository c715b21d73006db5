"""The files and caps of each platform, as data: one TOML file for each."""
