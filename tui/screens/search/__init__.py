"""Search: where does it stand?"""
