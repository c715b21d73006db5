"""What the Approvals screen and its questions show."""
