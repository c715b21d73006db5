"""History: what was done, by whom, and can it be undone?"""
