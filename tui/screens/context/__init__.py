"""Context: what will the agent really see?"""
