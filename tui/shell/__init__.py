"""What stands around the screens: edges, menus, commands, looks, jumping, the tour; and where one is."""
