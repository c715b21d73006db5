"""The oversight trial: a hundred items wait in the console, ten of them planted; how many does somebody catch who has
the console alone, with how many keys? Run `python -m tests.benchmarks.oversight`."""
