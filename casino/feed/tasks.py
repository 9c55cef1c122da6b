"""Periodic jobs of the feed."""

from celery import shared_task

from casino.feed import writer


@shared_task(name="feed.expire", ignore_result=True, soft_time_limit=280, time_limit=300)
def expire_feed(**_: object) -> None:
    """Delete what is older than FEED_DAYS."""
    writer.expire()
