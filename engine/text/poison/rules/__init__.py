"""The rules of poison as data: RE2 patterns, one file a language and one for shapes."""
