"""The one way anything changes: plan, approval, apply, audit, undo."""
