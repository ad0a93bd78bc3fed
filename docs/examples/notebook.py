import numpy as np
import pandas as pd

import steelyard as sy

print(dir(sy))

rng = np.random.default_rng(7)
quality = {"brass": 75, "iron": 60, "tin": 50}
rows = [
    (f"w{worker}", system, f"s{segment}", mean + 2 * (segment % 7) - 8 * (worker % 3) + rng.normal(0, 8))
    for worker in range(8)
    for segment in range(20)
    for system, mean in quality.items()
]
table = pd.DataFrame(rows, columns=["who", "system", "segment", "rating"])
table["rating"] = table["rating"].clip(0, 100).round()

judgements = sy.read(table, columns={"worker": "who"})
judgements

analysis = sy.analyse(judgements, method="mean-z", check="none", seed=7)
analysis

print(analysis.signature)
print(analysis.ranking)
print(analysis.systems.select("system_id", "score", "lower", "upper"))
frame = analysis.workers.to_pandas()
print(frame[["worker_id", "n_judgements", "mean"]])

agreement = analysis.table("agreement")
print(agreement.columns)

figure = analysis.plot("ranking")
figure.save("ranking.svg")
print(figure.caption)
figure

import matplotlib.pyplot as plt

canvas, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
analysis.plot("ranking", ax=left)
analysis.plot("significance", ax=right)
canvas.savefig("both.png")

study = sy.replicate(judgements, check="none", reliability=[0.8, 0.9], draws=100)
print(study.table("needed").select("reliability", "ratings", "fewest", "most"))
study.plot("replication-curve")

planned = sy.plan(systems=5, difference=0.15)
print(planned.expected.outlay.hits, planned.expected.outlay.cost)
planned

from steelyard.domain.errors import ChoiceError

try:
    sy.replicate(judgements, drawz=100)
except ChoiceError as error:
    print(error)
