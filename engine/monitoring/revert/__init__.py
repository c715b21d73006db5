"""Takes changes back as a plan: line by line, three-way where later lines moved, refused where they overlap."""
