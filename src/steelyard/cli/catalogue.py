"""All commands by what they are for: the module that defines each, and its line in `steelyard --help`."""

from __future__ import annotations

# Commands under another spelling of their names.
SPELLINGS = {"analyze": "analyse", "normalize": "normalise"}

CATALOGUE: dict[str, dict[str, tuple[str, str]]] = {
    "Design a campaign": {
        "demo": ("demo", "See a small campaign judged by a simulated crowd."),
        "example": ("campaign_commands", "Print a commented campaign file to edit."),
        "schema": ("campaign_commands", "Print the JSON Schema of campaign files, for editors."),
        "plan": ("plan_command", "Estimate HITs, hours and money, and what they can show."),
        "create": ("create_command", "Create a campaign, or a series, from its file."),
        "clone": ("extend_commands", "Create another campaign with the same texts and rules."),
        "hits": ("campaign_commands", "Write all HITs with their items to a file."),
        "simulate": ("campaign_commands", "Let a simulated crowd judge a campaign, as a rehearsal."),
    },
    "Run it": {
        "serve": ("serve", "Serve a campaign to its workers and its manager."),
        "links": ("links_command", "Print links; invite people; renew and revoke links."),
        "managers": ("managers_command", "Say who looks after a campaign, and in which role."),
        "progress": ("progress_command", "Show how far a campaign has got, and what it costs."),
        "settings": ("settings_command", "Show and change the rules: time limit, cap, pay, codes."),
        "pause": ("running_commands", "Stop giving out work for a while; nothing is lost."),
        "resume": ("running_commands", "Open a draft, or a paused or closed campaign."),
        "close": ("running_commands", "Close a campaign; `resume` opens it again."),
        "correct": ("running_commands", "Correct the title, the instructions or the consent text."),
        "extend": ("extend_commands", "Add ratings, segments or systems."),
        "release": ("release_command", "Offer an abandoned HIT to others."),
        "log": ("running_commands", "Show what was done, by whom, when and why."),
        "backup": ("backup_commands", "Copy a campaign safely, also while it is served."),
        "restore": ("backup_commands", "Make a campaign from a backup."),
        "verify": ("verify_command", "Find out whether anybody changed what is stored."),
    },
    "Look after workers": {
        "worker": ("worker_command", "Show one worker: verdict, control pairs, HITs, pay."),
        "participants": ("participants_command", "List people from a crowd platform, with their ids there."),
        "background": ("entry_commands", "List who agreed, and what workers answered at the start."),
        "remarks": ("entry_commands", "Read what workers wrote to you."),
        "erase": ("entry_commands", "Erase what could identify a worker, at their request."),
        "exclude": ("exclude_commands", "Leave a worker or one HIT out of the scores."),
        "reinstate": ("exclude_commands", "Let what was excluded count again."),
        "block": ("exclude_commands", "Give a worker no further work."),
        "unblock": ("exclude_commands", "Let a blocked worker take HITs again."),
        "marks": ("marks_command", "Compare marked errors, and decide which are right."),
        "payments": ("payments_command", "List what each worker is owed, with the evidence."),
    },
    "Work with a crowd platform": {
        "rehearse": ("rehearse_command", "Rehearse it with a simulated crowd, to the last cent."),
        "emulate": ("emulate_command", "Run a small stand-in for Prolific or MTurk."),
        "publish": ("crowd_commands", "Put a campaign in front of a paid crowd, within its budget."),
        "status": ("crowd_commands", "Show the platform's state beside ours, and the ledger."),
        "sync": ("crowd_commands", "Ask the platform how things stand, and pay what is due."),
        "approve": ("crowd_commands", "Pay for finished work."),
        "reject": ("crowd_commands", "Refuse to pay, where the evidence leaves no doubt."),
        "bonus": ("crowd_commands", "Pay what is owed beyond rewards, once."),
        "stop": ("crowd_commands", "Stop sending new people to the campaign."),
    },
    "Analyse it": {
        "analyse": ("analysis_commands", "Check workers, score and rank systems."),
        "report": ("analysis_commands", "Write the full report, as a page or for LaTeX."),
        "publication": ("publication_command", "Write all that a paper needs, data included."),
        "table": ("exhibit_commands", "Make a table from judgements."),
        "plot": ("exhibit_commands", "Draw a figure from judgements."),
        "export": ("campaign_commands", "Write all judgements to a file that `analyse` reads."),
        "replay": ("replay_command", "Write the worker's page as a folder, for reviewers."),
    },
    "Study judgements": {
        "evaluate": ("evaluate_command", "Find the method that would serve best, by trials."),
        "normalise": ("normalise_command", "Find the best way of normalising ratings."),
        "longitudinal": ("longitudinal_command", "Estimate the gain between two years."),
        "replicate": ("replicate_command", "Estimate how well ratings would be replicated."),
        "meta": ("meta_command", "Find the metrics that agree with people."),
    },
    "List what there is": {
        "protocols": ("registry_commands", "Ways of asking for a judgement."),
        "checks": ("registry_commands", "Ways of telling careful workers from careless ones."),
        "methods": ("registry_commands", "Ways of turning ratings into scores."),
        "exhibits": ("registry_commands", "Tables and figures."),
    },
}
