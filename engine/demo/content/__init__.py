"""The demonstration's texts: bundles of parts, each part begun by a line `@@ name`."""
