"""Approvals: what will change if I say yes?"""
