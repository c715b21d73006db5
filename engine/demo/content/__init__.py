"""The demonstration's texts: each file has parts that begin with a line `@@ name`."""
