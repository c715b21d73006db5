"""Surrounds the screens: edges, menus, commands, themes, jumping, the tour, and the place on screen."""
