import gc

# Loading the code makes a million objects. By default every 700 are looked at again, a seventh of the time of a start.
gc.set_threshold(50_000, 20, 20)
