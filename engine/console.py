"""The one door for front ends: every question the console or a command asks, and every order it gives."""
