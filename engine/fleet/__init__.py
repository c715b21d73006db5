"""All agents of an operator in one picture: a row for each, read beside each other, here and on other machines."""
