"""Makes the rows and words of the Approvals screen and its questions."""
