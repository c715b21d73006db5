"""Reading the tree: browsing it node by node, finding a text in it, drilling down from ROOT."""
