"""Condensing: transcripts into journals of their days, a week's journals into MEMORY.md (autopoiesis §8.4)."""
