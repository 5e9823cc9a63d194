"""Collect: the files of shops that no summary covers are read, and their orders go on to be matched.

Once a day the clock has every shop looked through, each at its own second; an event that names a shop has that one
looked through at once. A file is read as far as time goes, and on by the next reader.
"""

from aws_lambda_powertools.utilities.typing import LambdaContext

import delivery
from bootstrap.crm_files import crm_files
from bootstrap.crm_queues import batches, collections
from bootstrap.settings import import_spread
from rewards.collecting import FileRead, read, send_files, send_shops
from rewards.crm_messages import parse_collection
from rewards.messages import Message
from telemetry import logger, metrics, tally


@logger.inject_lambda_context
@metrics.log_metrics
def handler(event: delivery.Event, context: LambdaContext) -> delivery.Answer | list[str]:
    files, collectors = crm_files(), collections()

    def collect_one(message: Message) -> None:
        told = parse_collection(message.body)
        if told.file is None:
            send_files(told.shop, files, collectors)
            return
        out_of_time = delivery.out_of_time(context)
        done = read(told.shop, told.file, told.place, files, batches(), collectors, out_of_time=out_of_time)
        if isinstance(done, FileRead):
            tally("RefusedFiles", int(done.refused))
            tally("AcceptedRows", done.counts.accepted)
            tally("RejectedRows", done.counts.rejected)

    if "Records" in event:
        return delivery.each(event, collect_one, retry=delivery.FILES)
    if "shop" in event:
        return send_files(event["shop"], files, collectors)
    return send_shops(files, collectors, spread=import_spread())
