"""The operator's side: the `rewards` command, and the embedded cloud it can run on."""
