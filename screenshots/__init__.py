"""Pictures of the console, made from the demo workspace by `python -m screenshots.make`."""
