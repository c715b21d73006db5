"""Carries out an approved plan and undoes it; the only writer in a workspace (DESIGN §1)."""
