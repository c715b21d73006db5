"""What a scene is about where no workspace comes to it by itself: engines over hand-made values."""
