"""What stands around the screens: edges, places, commands, copying, announcing, jumping, finding, the tour."""
