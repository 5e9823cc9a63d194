"""The demo: a day of a shop's orders, from the payments to the points in the wallets, and back."""
