"""All agents of an operator, here and on other machines, with a row of figures for each."""
