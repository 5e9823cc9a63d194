"""The stack: one file per capability, composed in `rewards_stack.py`."""
