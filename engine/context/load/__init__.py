"""The simulation of what a platform loads: stripping, caps and cuts, and the lines that fall off."""
