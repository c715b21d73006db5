"""Starts what an operator asks for; dialogs are loaded when first opened, answers come on the screen's thread."""
