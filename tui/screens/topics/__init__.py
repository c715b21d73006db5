"""Topics: why did (or didn't) this fire?"""
