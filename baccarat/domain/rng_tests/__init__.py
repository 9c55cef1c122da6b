"""Is the chance fair? Statistics of what came out: the orders of revealed shoes and the outcomes that were dealt."""
