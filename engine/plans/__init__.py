"""The only way in which memory changes: plan, approval, apply, audit, undo."""
