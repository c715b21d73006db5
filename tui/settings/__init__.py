"""The operator's configuration of the console: `console.yaml` in their own config folder, never in a workspace."""
