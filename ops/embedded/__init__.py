"""The embedded cloud: the real template, deployed by the real CDK, on a small AWS inside one Python process."""
