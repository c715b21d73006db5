"""Overview: is anything wrong, and what is due?"""
