"""The files and caps of each platform, one TOML file each."""
