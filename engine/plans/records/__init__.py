"""The operator's own records of one workspace, kept outside of it: journal, operations, audit log (decision G19)."""
