"""Takes old explorations out of the way, as a plan that leaves a tag of each."""
