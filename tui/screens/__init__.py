"""The console's screens, a folder each, and the page that all of them are."""
