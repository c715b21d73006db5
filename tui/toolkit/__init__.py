"""Everything that touches the insides of Textual."""
