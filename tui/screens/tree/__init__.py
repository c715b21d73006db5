"""Tree: where is it, and is it still true?"""
