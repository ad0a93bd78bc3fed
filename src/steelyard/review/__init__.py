"""What a person should look at beyond the verdict: times, flags, changes, consistency, payment."""
