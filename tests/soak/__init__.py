"""The fault campaign over every writing command: `python -m tests.soak`, and a small sample of it in `make test`."""
