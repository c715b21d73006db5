"""The operator's records of one workspace, outside it: journal, operations, audit log (decision G19)."""
