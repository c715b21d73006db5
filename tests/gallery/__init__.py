"""Every screen and dialog of the console as a scene, drawn by `python -m tests.gallery` and held whole by the tests."""
