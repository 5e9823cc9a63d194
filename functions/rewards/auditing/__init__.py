"""Auditing: what the ledger and the books beside it must show, checked by rules of their own.

Nothing here changes anything. A rule is told what there is and answers with findings, none where all is well:

    writes   one change of a reward, from its two images in the stream
    rows     one reward by itself
    times    its booking time, against its order
    orders   one order with its rewards and their history; and what the providers' books say of each
    books    the accounts, coupons and stocks, each against its entries, and the places of the quotas
"""
