"""Static files under names with their digests, which browsers keep for good."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Rewrites modules, too, so that they import each other by these names."""

    support_js_module_import_aggregation = True
    max_post_process_passes = 20  # one for each module in the longest chain of imports
