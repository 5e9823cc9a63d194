"""`rewards audit`: all tables, compared with each other.

command     what the operator calls
scan        the tables as they are now, written as DynamoDB's own exports are
export      what lies in a folder of exports
partition   every file cut into parts, so that what belongs together is in one part
compare     one part: its orders, accounts, coupons and counts, each held to the rules
run         files first, then parts, in several processes
"""
