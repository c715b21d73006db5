"""Carries out an approved plan and takes it back; the only writer under a workspace (DESIGN §1)."""
