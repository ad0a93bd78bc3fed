"""Would a second collection of ratings give the same scores, and how many ratings does that take?"""
