import steelyard

campaign = steelyard.open("eval.db")  # or a postgresql:// address
analysis = campaign.analyse(method="mean-z", seed=7)
print(analysis.ranking, analysis.signature, sep="\n")
