"""Plans reverts: line by line, three-way if later lines moved, refused if they overlap."""
