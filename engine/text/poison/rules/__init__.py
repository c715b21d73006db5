"""The rules of poison as data: RE2 patterns, one module a language and one for what has none."""
